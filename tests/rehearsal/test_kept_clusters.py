"""A cluster in a kept rehearsal from its first deployment to its destruction, by the command line alone.

One of ParallelCluster is in tests/guides/test_commands_in_rehearsal.py, with every command of the pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests import program
from trainyard.rehearsal.kept_rehearsal import kept_rehearsals, stop

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

EKS = """\
name: llm-eks
region: us-east-2
platform: eks
queues: [{name: gpu, instance_type: g5.xlarge, nodes: 2}]
"""
BATCH = """\
name: lab
region: us-east-2
platform: batch
queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 4}}]
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working folder, and a state folder in which nothing survives the test."""
    monkeypatch.setenv("TRAINYARD_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    yield
    for kept in kept_rehearsals():
        stop(kept)


class Shell:
    """A shell that a kept rehearsal was exported into."""

    def __init__(self, spec: str) -> None:
        Path("cluster.yaml").write_text(spec)
        self.own = {"TRAINYARD_STATE": str(Path.cwd() / "state")}
        kept = program.run("rehearse", "cluster.yaml", "--keep", "--json", variables=self.own)
        values = json.loads(kept.out)
        assert (kept.status, values["ok"]) == (0, True), kept.err
        self.name, self.variables = values["name"], values["variables"]

    def run(self, *arguments: str) -> program.Run:
        return program.run(*arguments, variables={**self.variables, **self.own})

    def values(self, *arguments: str) -> Mapping[str, object]:
        """Run a command that succeeds, and return what it prints as JSON: of the emulation, and of nothing else."""
        ran = self.run(*arguments, "--json")
        values: Mapping[str, object] = json.loads(ran.out)
        assert (ran.status, values["emulation"]) == (0, self.name), ran.err
        return values


def test_a_cluster_of_eks_is_used_changed_broken_and_destroyed():
    shell = Shell(EKS)
    assert shell.values("status", "cluster.yaml")["up"] is True
    assert shell.values("connect", "llm-eks", "--kubeconfig")["file"] == shell.variables["KUBECONFIG"]
    assert "kube-system/aws-node" in shell.run("logs", "cluster.yaml", "--pod", "*").out
    Path("cluster.yaml").write_text(EKS.replace("nodes: 2", "nodes: 3"))
    deployed = shell.values("deploy", "cluster.yaml", "--yes")
    assert deployed["next"] == ["trainyard connect cluster.yaml --kubeconfig", "trainyard status cluster.yaml"]
    broken = shell.run("rehearse", "llm-eks", "--break", "image-not-pulled")
    assert "the image of a device plugin of Amazon EKS cannot be pulled" in broken.out
    assert "container-image-reference-wrong" in shell.run("diagnose", "cluster.yaml").out
    assert shell.run("rehearse", "llm-eks", "--break", "fabric-manager-x").status == 2
    refused = shell.run("rehearse", "llm-eks", "--break", "file-system-refused")
    assert (refused.status, "file-system-refused breaks nothing of llm-eks" in refused.err) == (2, True)
    assert shell.run("rehearse", "llm-eks", "--break", "nothing").status == 0
    ended = shell.run("destroy", "cluster.yaml", "--yes", "--delete-data")
    assert (ended.status, ended.err.splitlines()[-1]) == (0, "nothing of llm-eks is left in us-east-2")
    assert shell.run("status", "cluster.yaml").status == 1


@pytest.mark.exhaustive
def test_a_cluster_of_batch_is_used_changed_and_destroyed():
    shell = Shell(BATCH)
    assert shell.values("status", "lab")["up"] is True
    assert shell.values("plan", "cluster.yaml")["changes"] == []
    Path("cluster.yaml").write_text(BATCH.replace("max: 4", "max: 8"))
    planned = shell.values("plan", "cluster.yaml")["changes"]
    deployed = shell.values("deploy", "cluster.yaml", "--yes")
    assert planned == deployed["changes"] != []
    submitted = shell.values("batch", "submit", "cluster.yaml", "--no-follow")
    assert submitted["cluster"] == "lab"
    refused = shell.run("destroy", "lab", "--yes", "--delete-data")
    assert (refused.status, "destroying lab ends jobs: job " in refused.err) == (1, True)
    assert shell.values("destroy", "lab", "--yes", "--delete-data", "--end-jobs")["kept"] == []
    assert shell.run("destroy", "lab", "--yes").status == 1
