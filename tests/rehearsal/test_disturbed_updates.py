"""Updates of a cluster of ParallelCluster that something disturbs: jobs, failures, other people, credentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import yaml

from tests.rehearsal.account_copies import deployed_account, told
from tests.rehearsal.faulty_proxy import Proxy, Request, served
from tests.rehearsal.kill_points import kill_points, let_lock_end
from tests.rehearsal.test_update_classification import put_fleet_status
from tests.rehearsal.whole import SPEC, deployed, planned
from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.lock import Lock
from trainyard.deploy.record import read_record, write_record
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.deploy.work import Event, Options
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.edge.aws.parallelcluster import deployed_config, fleet_status
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import TrainyardError
from trainyard.operate.status.status_query import status
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
FEWER = SPEC.replace("nodes: 2", "nodes: 1")
OTHER_LOGINS = SPEC.replace("count: 1, instance_type: m5.large", "count: 1, instance_type: m5.xlarge")
# A queue, whose role is new, and a setting for which the fleet is stopped.
STOPPED = (
    SPEC.replace("file_systems:", "  - {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 3}}\nfile_systems:")
    + "parallelcluster: {slurm: {scaledown_idle_minutes: 33}}\n"
)
TOLD = 'job 1 "wrap" of ubuntu on 1 node of compute-gpu'


def on_head_node(account: Account, *words: str) -> None:
    (head,) = running(account, "HeadNode")
    assert SsmSlurm(account, head.id).run(words).status == 0


def problems(done: DeploymentResult) -> list[str]:
    return [result.error.problem for result in done.results if result.error]


def running(account: Account, role: str) -> list[ClusterNode]:
    return [node for node in nodes(account, "llm") if node.role == role and node.state == "running"]


def config(account: Account) -> Any:
    return yaml.safe_load(deployed_config(account, "llm") or "")


def closed_queues(account: Account) -> list[str]:
    record = read_record(account, bucket_of(parse(SPEC, "cluster.yaml").spec, account), "llm")
    assert record is not None
    return list(record.closed_queues)


def fleet(account: Account) -> str:
    status = fleet_status(account, "llm")
    assert status is not None
    return status.status


def test_jobs_are_named_by_plan_refused_without_consent_and_waited_for_behind_closed_queues():
    with deployed_account(SPEC) as account:
        on_head_node(account, "sbatch", "--partition=compute-gpu", "--wrap=train")
        review, refusals = planned(account, FEWER)
        assert review.cluster is not None
        assert review.cluster.running.jobs == (TOLD,)
        assert [TOLD in refusal.problem for refusal in refusals] == [True]

        texts: list[str] = []
        waiting = Options(wait_for_jobs_s=60)
        (problem,) = problems(deployed(account, FEWER, waiting, lambda event: texts.append(event.text)))
        assert TOLD in problem
        closed, opened = "no new jobs begin in compute-gpu", "jobs begin again in compute-gpu"
        assert [line[: len(closed)] for line in texts if closed in line or opened in line] == [closed, opened]
        assert (len(running(account, "Compute")), closed_queues(account)) == (2, [])

        def end_job(event: Event) -> None:
            if event.text.startswith("waits for job 1"):
                on_head_node(account, "scancel", "1")

        done = deployed(account, FEWER, Options(wait_for_jobs_s=600), end_job)
        assert problems(done) == []
        assert (len(running(account, "Compute")), closed_queues(account)) == (1, [])


@pytest.mark.exhaustive
def test_login_nodes_are_stopped_for_what_needs_it_and_started_as_the_spec_says():
    with deployed_account(SPEC) as account:
        done = deployed(account, OTHER_LOGINS)
        assert problems(done) == []
        update = done.review.cluster
        assert update is not None
        assert (update.need, update.stops_logins) == ("live", True)
        assert [node.instance_type for node in running(account, "LoginNode")] == ["m5.xlarge"]
        assert len(running(account, "Compute")) == 2


@pytest.mark.exhaustive
def test_who_is_killed_while_login_nodes_are_stopped_goes_on_or_back():
    def is_chosen(number: int, call: str) -> bool:
        del number
        return call == "UpdateStack"

    with deployed_account(SPEC) as before, kill_points(before, OTHER_LOGINS, is_chosen) as (account, points):
        assert deployed(account, OTHER_LOGINS).ok
        assert len(points) == 2
        for point, text, kind in ((points[1], SPEC, "m5.large"), (points[0], OTHER_LOGINS, "m5.xlarge")):
            assert problems(deployed(point.account, text)) == []
            assert [node.instance_type for node in running(point.account, "LoginNode")] == [kind]
    with deployed_account(SPEC) as before, kill_points(before, OTHER_LOGINS, is_chosen) as (account, points):
        assert deployed(account, OTHER_LOGINS).ok
        assert problems(deployed(points[1].account, OTHER_LOGINS)) == []
        assert [node.instance_type for node in running(points[1].account, "LoginNode")] == ["m5.xlarge"]


@pytest.mark.exhaustive
def test_an_update_that_fails_halfway_brings_back_what_was_there_and_says_so():
    with deployed_account(SPEC) as account:
        before = config(account)
        told(account, "faults", {"breakdown": "role-not-allowed"})
        (problem,) = problems(deployed(account, STOPPED))
        assert "iam:CreateRole" in problem
        assert problem.endswith("CloudFormation took the update back, and the fleet runs again")
        state = find_stack(account, "llm")
        assert state is not None
        assert (state.status, fleet(account), config(account)) == ("UPDATE_ROLLBACK_COMPLETE", "RUNNING", before)
        assert len(running(account, "Compute")) == 2

        told(account, "faults", {})
        assert problems(deployed(account, STOPPED)) == []
        assert config(account)["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 33
        assert fleet(account) == "RUNNING"


@pytest.mark.exhaustive
def test_login_nodes_come_back_where_the_update_that_they_were_stopped_for_fails():
    both = STOPPED.replace("count: 1, instance_type: m5.large", "count: 1, instance_type: m5.xlarge")
    with deployed_account(SPEC) as account:
        told(account, "faults", {"breakdown": "role-not-allowed"})
        (problem,) = problems(deployed(account, both))
        assert problem.endswith("the fleet runs again, and login nodes start again")
        assert [node.instance_type for node in running(account, "LoginNode")] == ["m5.large"]
        assert fleet(account) == "RUNNING"


@pytest.mark.exhaustive
def test_who_is_killed_around_a_failure_still_starts_the_fleet():
    def is_chosen(number: int, call: str) -> bool:
        del number
        return call in ("UpdateItem", "UpdateStack")

    with deployed_account(SPEC) as before:
        told(before, "faults", {"breakdown": "role-not-allowed"})
        with kill_points(before, STOPPED, is_chosen) as (account, points):
            assert problems(deployed(account, STOPPED)) != []
            assert points
            for point in points:
                told(point.account, "faults", {})
                assert problems(deployed(point.account, SPEC)) == [], point.call
                assert (fleet(point.account), len(running(point.account, "Compute"))) == ("RUNNING", 2), point.call


@pytest.mark.exhaustive
def test_a_protected_fleet_is_updated_and_only_a_restart_opens_its_queues():
    with deployed_account(SPEC) as account:
        put_fleet_status(account, "llm", "PROTECTED")
        done = deployed(account, FEWER)
        assert problems(done) == []
        assert fleet(account) == "PROTECTED"
        assert any("the fleet is PROTECTED still" in result.detail for result in done.results)
        assert problems(deployed(account, STOPPED)) == []
        assert fleet(account) == "RUNNING"


@pytest.mark.exhaustive
def test_what_somebody_changed_with_pcluster_is_told_and_undone_only_with_consent():
    with deployed_account(SPEC) as account:
        bucket = bucket_of(parse(SPEC, "cluster.yaml").spec, account)
        record = read_record(account, bucket, "llm")
        assert record is not None
        assert problems(deployed(account, STOPPED)) == []
        write_record(account, bucket, record)  # as if somebody else had made that change
        concerns = [concern.what for concern in status("llm", account).concerns]
        told_idle = "cluster.yaml: Scheduling.SlurmSettings.ScaledownIdletime"
        assert any(told_idle in concern and "SlurmQueues[cpu] is new: cpu" in concern for concern in concerns)
        _, (refused,) = planned(account, SPEC)
        assert told_idle in refused.problem
        assert problems(deployed(account, SPEC)) == [refused.problem]
        assert config(account)["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 33
        assert problems(deployed(account, STOPPED)) == []
        write_record(account, bucket, record)
        assert problems(deployed(account, SPEC, Options(overwrite_changes=True))) == []
        assert config(account)["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 10
        assert status("llm", account).drift == ()


@pytest.mark.exhaustive
def test_a_node_that_is_gone_does_not_stop_an_update():
    with deployed_account(SPEC) as account:
        node = running(account, "Compute")[0]
        account.client("ec2").terminate_instances(InstanceIds=[node.id])
        assert problems(deployed(account, FEWER)) == []
        assert len(running(account, "Compute")) == 1


@pytest.mark.exhaustive
def test_a_block_that_ends_during_the_update_leaves_a_cluster_that_is_updated_and_says_what_is_missing():
    with deployed_account(SPEC) as account:
        told(account, "faults", {"breakdown": "reservation-ended"})
        done = deployed(account, STOPPED)
        assert problems(done) == []
        assert config(account)["Scheduling"]["SlurmSettings"]["ScaledownIdletime"] == 33
        assert "static-nodes-not-launched" in {finding.id for finding in done.findings}


def test_a_second_operator_is_told_who_is_at_work_and_changes_nothing():
    with deployed_account(SPEC) as account:
        bucket = bucket_of(parse(SPEC, "cluster.yaml").spec, account)
        with Lock(account, bucket, "llm", "deploy", lambda _: None), pytest.raises(TrainyardError, match="deploy"):
            deployed(account, FEWER)
        assert len(running(account, "Compute")) == 2


class ExpiringCredentials(Proxy):
    """Refuses everything from the first call of an action on, as AWS does once a session has ended."""

    def __init__(self, endpoint: str, action: str) -> None:
        """Take the action."""
        super().__init__(endpoint)
        self._action, self.expired = f"Action={action}&".encode(), False

    def fault(self, request: Request) -> str | None:
        """Let nothing through any more."""
        self.expired = self.expired or self._action in request.body
        return "expired" if self.expired else None


@contextmanager
def expiring(account: Account, action: str) -> Iterator[Account]:
    with ExpiringCredentials(account.endpoint or "", action) as proxy, served(proxy) as endpoint:
        yield replace(account, endpoint=endpoint)


@pytest.mark.exhaustive
def test_credentials_that_expire_in_the_middle_stop_it_and_others_go_on():
    with deployed_account(SPEC) as account:
        expired = "token included in the request is expired"
        with expiring(account, "UpdateStack") as until_then:
            (told,) = problems(deployed(until_then, STOPPED))
        assert expired in told
        let_lock_end(account, SPEC)  # which nobody could give back
        assert fleet(account) == "STOPPED"
        assert problems(deployed(account, STOPPED)) == []
        assert (fleet(account), len(running(account, "Compute"))) == ("RUNNING", 2)
