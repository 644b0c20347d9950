"""Data that no stack has any more: what the account is asked for it, at every deployment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.preflights.recorded import RecordedAccount
from trainyard.deploy.orphaned_data import orphaned_data
from trainyard.deploy.work import Work
from trainyard.platform_table import PLATFORMS
from trainyard.spec.parsing import parse

ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]\n"
SPECS = {
    "parallelcluster": f"platform: parallelcluster\nhead_node: {{instance_type: m5.large}}\n{QUEUE}",
    "batch": f"platform: batch\n{QUEUE}",
    "eks": f"platform: eks\n{QUEUE}",
    "environment": "kind: environment\n",
}
NOTHING: dict[str, Any] = {
    "fsx.DescribeFileSystems": {"FileSystems": []},
    "fsx.DescribeVolumes": {"Volumes": []},
    "efs.DescribeFileSystems": {"FileSystems": []},
    "amp.ListWorkspaces": {"workspaces": []},
    "ec2.DescribeSnapshots": {"Snapshots": []},
    "ec2.DescribeVolumes": {"Volumes": []},
    "ecr.DescribeRepositories": {"repositories": []},
}
OF_EVERY_PLATFORM = [
    "amp.ListWorkspaces",
    "ec2.DescribeSnapshots",
    "efs.DescribeFileSystems",
    "fsx.DescribeFileSystems",
]
OF_ONE = {
    "parallelcluster": ["ec2.DescribeVolumes"],
    "batch": ["ecr.DescribeRepositories"],
    "eks": [],
    "environment": ["ec2.DescribeVolumes"],
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_only_what_stacks_of_the_platform_make_is_asked_for(platform: str):
    account = RecordedAccount("us-east-2", "123456789012", answers=NOTHING)
    spec = parse(f"name: llm\nregion: us-east-2\n{ZONES}{SPECS[platform]}", "llm.yaml").spec
    assert orphaned_data(Work(account, "llm", spec, "bucket"), []) == ()
    assert sorted(account.calls) == sorted(OF_EVERY_PLATFORM + OF_ONE[platform])
