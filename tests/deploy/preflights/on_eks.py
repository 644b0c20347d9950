"""A spec for Amazon EKS, what the account says of it, and programs in place of the user's."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.deploy.preflights.good import ACCOUNT, PRIVATE, VPC, stack
from tests.deploy.preflights.recorded import Refusal
from tests.kubernetes.scripted_kubectl import ScriptedKubectl
from trainyard.deploy.programs import DeploymentPrograms
from trainyard.edge.installed_eksctl import InstalledEksctl

SPEC = """\
name: llm-p5
region: us-east-2
platform: eks
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues: [{name: training, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]
eks: {kubernetes_version: "1.35"}
"""
IN_VPC = SPEC.replace(
    "{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}",
    f"{{existing: {{vpc: {VPC}, private_subnets: [{PRIVATE}, subnet-0123456789abcdef2]}}}}",
)
ARN = f"arn:aws:eks:us-east-2:{ACCOUNT}:cluster/llm-p5"
ENDPOINT = "https://abc.gr7.us-east-2.eks.amazonaws.com"
NONE = {"eks.DescribeCluster": Refusal("ResourceNotFoundException", "no cluster")}


def there(owner: str | None = "llm-p5", status: str = "ACTIVE", *, made_by_eksctl: bool = True) -> dict[str, Any]:
    """Return the answers of an account that has a cluster of the name."""
    tags = {} if owner is None else {"trainyard:cluster": owner}
    cluster = {"name": "llm-p5", "arn": ARN, "status": status, "endpoint": ENDPOINT, "tags": tags}
    name = "eksctl-llm-p5-cluster" if made_by_eksctl else "eksctl-other-cluster"
    return {"eks.DescribeCluster": {"cluster": cluster}, "cloudformation.DescribeStacks": stack(name)}


def programs(
    version: str = "0.229.0", kubectl: ScriptedKubectl | None = None, kubeconfig: Path | None = None
) -> DeploymentPrograms:
    eksctl: Any = SimpleNamespace(program=InstalledEksctl("/bin/eksctl", version))
    return DeploymentPrograms(lambda _: eksctl, (kubectl or ScriptedKubectl()).of, kubeconfig)


def only_kubectl(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    """Let a kubectl of a version be all that is found; None for nothing at all."""
    monkeypatch.setenv("PATH", str(folder))
    if version is not None:
        file = folder / "kubectl"
        file.write_text(f'#!{sys.executable}\nprint(\'{{"clientVersion": {{"gitVersion": "{version}"}}}}\')\n')
        file.chmod(0o700)
