"""Whatever a spec can write into the file of a platform's program, no overlay writes besides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from tests.architectures.by_platform import architectures_on
from tests.platforms.eks.rendering.options import SOME, cluster_with
from tests.render.changes import CHANGES, before_and_after
from trainyard.checking.spec_file import check_text
from trainyard.document.write import yaml_text
from trainyard.finding import Path
from trainyard.render.overlay import pattern_of
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

SMALL = "queues: [{name: gpu, instance_type: m5.8xlarge}]\n"
PARALLELCLUSTER = f"name: p\nregion: us-east-2\nplatform: parallelcluster\n{SMALL}"
EKS = f"""\
name: e
region: us-east-2
platform: eks
network: {{availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}}
{SMALL}"""
NAMES = {
    "SlurmQueues": {"Name": "gpu"}, "ComputeResources": {"Name": "gpu-m5"},
    "managedNodeGroups": {"name": "gpu"}, "addons": {"name": "vpc-cni"},
}  # fmt: skip
# Lists to which trainyard adds entries of its own take further ones, and node groups take launch templates and labels.
FREE = {
    "accessConfig.accessEntries[].accessPolicies[].accessScope.type",
    "accessConfig.accessEntries[].accessPolicies[].policyARN",
    "accessConfig.accessEntries[].principalARN",
    "addons[].configurationValues",
    "iam.podIdentityAssociations[].namespace",
    "iam.podIdentityAssociations[].permissionPolicyARNs",
    "iam.podIdentityAssociations[].serviceAccountName",
    "managedNodeGroups[].iam.attachPolicyARNs",
    "managedNodeGroups[].launchTemplate.id",
    "managedNodeGroups[].overrideBootstrapCommand",
    "managedNodeGroups[].taints[].effect",
    "managedNodeGroups[].taints[].key",
    "managedNodeGroups[].taints[].value",
}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for item in value:
            yield from leaves(item, (*path, 0))
    elif path[-1] not in ("Name", "name") and "trainyard/" not in str(path[-1]):
        yield path, value


def written(documents: Iterator[dict[str, Any]]) -> dict[str, tuple[Path, Any]]:
    return {pattern_of(path): (path, value) for document in documents for path, value in leaves(document)}


def overlay(path: Path, value: Any) -> Any:
    """Return an overlay with one value; entries of the lists that a small cluster has are named as there."""
    for above, step in reversed(list(zip(("", *path), path, strict=False))):
        value = [{**NAMES.get(str(above), {}), **value}] if isinstance(step, int) else {step: value}
    return value


def refused(text: str, section: str, path: Path, value: Any) -> bool:
    flow = yaml.safe_dump(overlay(path, value), default_flow_style=True, width=10**6)
    findings = check_text(f"{text}{section}: {{overlay: {flow[:-1]}}}\n", "cluster.yaml").findings
    return any(finding.id == "overlay-key-modelled" for finding in findings)


def rendered_by_parallelcluster() -> Iterator[dict[str, Any]]:
    texts = [architecture.text for architecture in architectures_on("parallelcluster")]
    texts += [yaml_text(data) for path in CHANGES for data in before_and_after(path)]
    for spec in (parse(text, "cluster.yaml").spec for text in dict.fromkeys(texts)):
        if spec.platform == "parallelcluster" and not spec.parallelcluster.overlay:
            yield render(spec, {}).documents["cluster.yaml"]


def test_no_key_that_a_spec_writes_for_parallelcluster_is_left_to_an_overlay():
    keys = written(rendered_by_parallelcluster())
    assert len(keys) > 100
    free = [pattern for pattern, at in keys.items() if not refused(PARALLELCLUSTER, "parallelcluster", *at)]
    assert free == []


def test_no_key_that_a_spec_writes_for_eksctl_is_left_to_an_overlay():
    keys = written(cluster_with(*name) for name in SOME)
    assert len(keys) > 50
    assert {pattern for pattern, at in keys.items() if not refused(EKS, "eks", *at)} == FREE
