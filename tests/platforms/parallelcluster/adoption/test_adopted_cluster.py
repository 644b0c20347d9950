"""A cluster that pcluster made without trainyard: adopted by its name, and planned."""

from __future__ import annotations

from functools import partial

import pytest

from tests.rehearsal.account_copies import prepared_account
from tests.rehearsal.warm_parallelcluster import warm_parallelcluster
from tests.rehearsal.whole import deployed, destroyed
from trainyard.api.adopt import adopt_cluster
from trainyard.deploy.deployment import work_for
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cloudformation import follow
from trainyard.edge.aws.stacks import find_stack
from trainyard.rehearsal.rehearsal import inventory
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

# What there is: a spec that names it is the way to plant it.
SEEDS = """\
name: planted
platform: parallelcluster
region: us-east-2
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
access: {ssh_key: mine}
head_node: {instance_type: m5.large}
queues: [{name: cpu, instance_type: c5.large}]
file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]
"""
CONFIG = """\
Image: {Os: ubuntu2204}
HeadNode:
  InstanceType: m5.large
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Ssh: {KeyName: mine}
  Iam:
    AdditionalIamPolicies:
      - Policy: arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy
Scheduling:
  Scheduler: slurm
  SlurmSettings: {ScaledownIdletime: 30}
  SlurmQueues:
    - Name: train
      ComputeResources:
        - {Name: big, InstanceType: c5.large, MinCount: 0, MaxCount: 3}
      Networking:
        SubnetIds: [subnet-0123456789abcdef0]
        PlacementGroup: {Enabled: false}
SharedStorage:
  - {Name: data, MountDir: /fsx, StorageType: FsxLustre, FsxLustreSettings: {FileSystemId: fs-0123456789abcdef0}}
Tags:
  - {Key: team, Value: vision}
"""


def made_by_others(account: Account, text: str) -> None:
    """Let pcluster make a cluster, as people do who have no trainyard."""
    del text
    warm_parallelcluster(account, "3.16.1").create("other", CONFIG)
    state = follow(account, "other", list[object]().append)
    assert state is not None
    assert state.usable


@pytest.mark.exhaustive
def test_what_is_changed_in_its_spec_is_changed_of_it_and_nothing_else_and_it_is_never_destroyed():
    with prepared_account(SEEDS, made_by_others) as account:
        text = adopt_cluster("other", account).spec
        changed = deployed(account, text.replace("max: 3", "max: 4"))
        assert changed.ok
        assert adopt_cluster("other", account).spec == text.replace("max: 3", "max: 4")
        destruction = destroyed(account, text)
        assert [result.name for result in destruction.results if result.error is not None] == ["cluster"]
        assert find_stack(account, "other") is not None


def test_where_there_is_no_such_cluster_nothing_is_made():
    with prepared_account(SEEDS, made_by_others) as account:
        text = adopt_cluster("other", account).spec.replace("name: other", "name: nobody")
        result = deployed(account, text)
        assert not result.ok
        assert "there is no cluster nobody in us-east-2" in str(
            next(each.error for each in result.results if each.error)
        )
        assert find_stack(account, "nobody") is None


def test_its_spec_changes_nothing_of_it_and_to_adopt_it_changes_nothing_in_the_account():
    with prepared_account(SEEDS, made_by_others) as account:
        before = inventory(account)
        adoption = adopt_cluster("other", account)
        assert inventory(account) == before
        assert (adoption.differences, adoption.name) == ((), "other")
        spec = parse(adoption.spec, "other.yaml").spec
        assert spec.network.existing is not None
        assert spec.network.existing.vpc == "vpc-0123456789abcdef0"
        assert [(system.mount, system.settings.id) for system in spec.file_systems] == [
            ("/fsx", "fs-0123456789abcdef0")
        ]
        work = work_for(spec, account)
        work.parallelcluster = partial(warm_parallelcluster, account)
        planned = plan(spec, work)
        assert (planned.refusals, work.cluster_update) == ((), None)
