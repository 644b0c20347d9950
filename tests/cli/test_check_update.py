"""What no update changes from one configuration to another, by the real ParallelCluster."""

from __future__ import annotations

import json

import pytest

from trainyard.platforms.parallelcluster.deployment.classification import place_in_config

OLD = """\
Region: us-east-2
Image:
  Os: ubuntu2204
HeadNode:
  InstanceType: m5.8xlarge
  Networking:
    SubnetId: subnet-0123456789abcdef0
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      Networking:
        SubnetIds: [subnet-0123456789abcdef0]
      ComputeResources:
        - Name: c5
          InstanceType: c5.2xlarge
          MinCount: 0
          MaxCount: 4
"""
SPEC = """\
name: llm
platform: parallelcluster
region: us-east-2
network: {availability_zone: us-east-2a}
parallelcluster: {version: 3.16.1}
head_node: {instance_type: m5.8xlarge}
queues:
  - {name: cpu, instance_type: c5.2xlarge, nodes: 4}
"""


def test_a_change_stands_where_its_value_does_and_what_goes_at_its_list():
    document = {"Scheduling": {"SlurmQueues": [{"Name": "cpu"}, {"Name": "gpu", "Networking": {}}]}}
    queues = ("Scheduling", "SlurmQueues")
    assert place_in_config(document, ("Scheduling", "SlurmQueues[gpu]", "Networking")) == (*queues, 1, "Networking")
    assert place_in_config(document, ("Scheduling", "SlurmQueues[gone]", "Name")) == queues


@pytest.fixture
def updates(trainyard, tmp_path):
    """Return a function that compares two files and returns severity, line and path of what no update simply makes."""

    def of(old: str, new: str) -> tuple[int, list[tuple[str, int, str]]]:
        (tmp_path / "old.yaml").write_text(old)
        (tmp_path / "new.yaml").write_text(new)
        ran = trainyard("check", "--update-from", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml"), "--json")
        findings = [one for one in json.loads(ran.out)["findings"] if one["id"] == "parallelcluster-update"]
        return ran.status, [(one["severity"], one["line"], one["path"]) for one in findings]

    return of


@pytest.mark.integration
def test_what_never_changes_is_an_error_and_what_stops_nodes_a_warning(updates):
    head = OLD.replace("    SubnetId: subnet-0123456789abcdef0", "    SubnetId: subnet-0fedcba9876543210")
    new = head.replace("c5.2xlarge", "c5.4xlarge").replace("MaxCount: 4", "MaxCount: 8")
    assert updates(OLD, new) == (
        1,
        [
            ("error", 7, "HeadNode.Networking.SubnetId"),
            ("warning", 16, "Scheduling.SlurmQueues[0].ComputeResources[0].InstanceType"),
        ],
    )
    assert updates(OLD, OLD)[1] == []


@pytest.mark.integration
def test_two_specs_are_compared_as_they_render(updates):
    new = SPEC.replace("c5.2xlarge", "c5.4xlarge").replace("us-east-2a", "us-east-2b")
    _, findings = updates(SPEC, new)
    assert ("warning", 8, "queues[0]") in findings
    other = updates(SPEC, SPEC.replace("3.16.1", "3.15.1"))[1]
    assert ("error", 5, "parallelcluster.version") in other


@pytest.mark.integration
def test_a_former_file_that_cannot_be_compared_is_named(trainyard, tmp_path):
    (tmp_path / "old.yaml").write_text(OLD.replace("m5.8xlarge", "[m5.8xlarge]"))
    (tmp_path / "new.yaml").write_text(OLD)
    ran = trainyard("check", "--update-from", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml"))
    assert "old.yaml cannot be compared: ParallelCluster" in ran.out + ran.err
    missing = trainyard("check", "--update-from", str(tmp_path / "none.yaml"), str(tmp_path / "new.yaml"))
    assert (missing.status, missing.out) == (2, "")
    assert "none.yaml does not exist" in missing.err
