"""A cluster that exists gets another release: the nodes that have to be told of it are named, and nobody is misled."""

from __future__ import annotations

import json

import pytest

from tests.rehearsal.account_copies import deployed_account, seeded_account
from tests.rehearsal.whole import SPEC, STEPS, deployed
from trainyard.deploy.node_record_place import record_key
from trainyard.deploy.record import read_record
from trainyard.deploy.work import Options
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.parallelcluster import cluster_config
from trainyard.edge.aws.stacks import find_stack

pytestmark = pytest.mark.enable_socket
WITH_CONTAINERS = SPEC.replace("setup: gpu", "setup: gpu, containers: true")


def pointer(account: Account) -> str:
    there = s3.get(account, s3.own_bucket(account), "trainyard/llm/release")
    assert there is not None
    return there.content.decode()


def report(account: Account, digest: str) -> None:
    """Let the nodes say what they have run."""
    for node in nodes(account, "llm"):
        record = {"schema": 1, "instance_id": node.id, "release": digest, "status": "ready", "steps": []}
        s3.put(account, s3.own_bucket(account), record_key(account, "llm", node.id), json.dumps(record).encode())


@pytest.mark.exhaustive
@pytest.mark.integration
def test_what_only_the_head_node_carries_out_is_published_and_it_is_said_who_has_to_be_told():
    with deployed_account(SPEC) as account:
        first = pointer(account)
        report(account, first.split()[0])

        done = deployed(account, WITH_CONTAINERS)
        assert done.ok
        assert [finding.id for finding in done.findings] == ["head-node-not-told", "login-nodes-not-told"]
        assert all("new steps: enroot-pyxis" in finding.message for finding in done.findings)
        second = pointer(account)
        assert second != first

        report(account, second.split()[0])
        done = deployed(account)
        assert [result.name for result in done.results if result.error] == ["changes"]
        assert "no release takes it back: enroot-pyxis" in str(done.results[-1].error)
        assert pointer(account) == second


@pytest.mark.exhaustive
def test_a_deployment_stops_before_the_cluster_where_it_is_told_to_and_goes_on_later():
    with seeded_account(SPEC) as account:
        bucket = s3.own_bucket(account)
        done = deployed(account, options=Options(before_cluster=True))
        assert done.ok
        names = [result.name for result in done.results if result.name != "changes"]
        assert {*names, "mirror"} == {*STEPS[: STEPS.index("cluster")], "mirror"}
        assert find_stack(account, "llm") is None
        record = read_record(account, bucket, "llm")
        assert record is not None
        assert (record.stage, record.cluster_config) == ("prepared", None)

        done = deployed(account)
        assert done.ok
        assert [result.name for result in done.results if result.status == "done"] == [
            "cluster", "static-nodes", "cloudwatch-dashboards",
        ]  # fmt: skip
        done = deployed(account, options=Options(before_cluster=True))
        assert (done.ok, done.stage) == (True, "deployed")
        record = read_record(account, bucket, "llm")
        assert record is not None
        assert record.stage == "deployed"


@pytest.mark.exhaustive
def test_what_becomes_of_nodes_that_fail_may_change_and_slurm_is_told_of_it():
    unasked = SPEC.replace("setup: gpu", "setup: gpu, health_checks: false")
    held = unasked.replace("setup: gpu", "setup: gpu, on_failure: hold")
    with deployed_account(unasked) as account:
        assert "SuspendExcStates" not in str(cluster_config(account, "llm"))
        first = pointer(account)
        done = deployed(account, held)
        assert (done.ok, done.findings) == (True, ())
        assert "SuspendExcStates" in str(cluster_config(account, "llm"))
        assert pointer(account) != first
