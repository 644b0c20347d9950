"""A second cluster takes over from one that no update changes: end to end, and by whoever goes on after a kill."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import groupby

import pytest

from tests.rehearsal.account_copies import prepared_account
from tests.rehearsal.faulty_proxy import Proxy, Request, faulty_proxy, served
from tests.rehearsal.kill_points import changing_call, kill_points
from tests.rehearsal.whole import deployed, equipped
from tests.rehearsal.whole_account import whole_account
from trainyard.deploy.deployment import DeploymentResult, work_for
from trainyard.deploy.replacement import Replacement, replace_cluster
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.deploy.work import Options, Work, folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.parallelcluster import cluster_config
from trainyard.edge.aws.stacks import all_stacks
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.head_node import head_node
from trainyard.render.tags import CLUSTER
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

ENVIRONMENT = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
  - {mount: /home, openzfs: {size_gib: 64, throughput_mb_s: 160}}
"""
FORMER = """\
name: blue
region: us-east-2
platform: parallelcluster
environment: shared
network: {availability_zone: us-east-2a}
head_node: {instance_type: m5.large}
parallelcluster:
  version: 3.15.1
  slurm:
    accounting: {slurmdbd: {host: dbd.example.com}}
    munge_secret: arn:aws:secretsmanager:us-east-2:123456789012:secret:munge-AbCdEf
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0123456789abcdef0}}
  - {name: cpu, instance_type: m5.large, nodes: {min: 0, max: 4}}
file_systems:
  - {mount: /fsx, lustre: {id: environment}}
  - {mount: /home, openzfs: {id: environment}}
software: {setup: gpu}
"""
# Another version, and another head node: neither is what an update changes.
SUCCESSOR = FORMER.replace("blue", "green").replace("3.15.1", "3.16.1").replace("m5.large}\np", "m5.2xlarge}\np")


# What takes less time to try.
OF_SAME_VERSION = FORMER.replace("3.15.1", "3.16.1")


def replaced(account: Account, text: str = SUCCESSOR) -> DeploymentResult:
    """Let the second cluster take over from the former one."""
    spec = parse(text, "cluster.yaml").spec
    bucket = bucket_of(spec, account)
    with (
        equipped(Work(account, "blue", None, bucket)) as former,
        equipped(work_for(spec, account, options=Options(replaces="blue"))) as successor,
    ):
        return replace_cluster(Replacement(former, successor), text)


def make_former(account: Account, text: str) -> None:
    assert deployed(account, ENVIRONMENT).ok
    assert deployed(account, text).ok


def begin(account: Account, text: str) -> None:
    """Replace it as far as a job lets one."""
    make_former(account, text)
    assert run(account, "blue", "sbatch", "--partition=gpu", "--wrap=train") == "Submitted batch job 1\n"
    assert problems(replaced(account)) == [
        "queue gpu of blue takes no new jobs and still has 1: job 1 (wrap) of ubuntu, running"
    ]


def run(account: Account, cluster: str, *words: str) -> str:
    answer = head_node(cluster, account).run(words)
    return answer.text if not answer.status else f"refused: {answer.message}"


def count(account: Account, cluster: str, queue: str) -> int:
    return sum(node.queue == queue and node.state == "running" for node in nodes(account, cluster))


def problems(done: DeploymentResult) -> list[str]:
    return [result.error.problem for result in done.results if result.error]


def changed(done: DeploymentResult) -> list[str]:
    return [result.name for result in done.results if result.status != "unchanged"]


def check_taken_over(account: Account) -> None:
    owners = {stack.tags.get(CLUSTER) for stack in all_stacks(account) if "trainyard:environment" in stack.tags}
    assert owners <= {None, "green"}
    assert (count(account, "blue", "gpu"), count(account, "green", "gpu")) == (0, 2)


@pytest.mark.exhaustive
@pytest.mark.parametrize("text", [OF_SAME_VERSION, FORMER], ids=["same version", "older version"])
def test_jobs_finish_where_they_run_while_others_have_a_place(text: str):
    with prepared_account(text, begin, SUCCESSOR) as account:
        before = cluster_config(account, "blue")
        assert (count(account, "blue", "gpu"), count(account, "green", "gpu")) == (2, 0)
        assert "not available" in run(account, "blue", "sbatch", "--partition=gpu", "--wrap=more")
        assert "Submitted" in run(account, "green", "sbatch", "--partition=gpu", "--wrap=more")
        assert "Submitted" in run(account, "blue", "sbatch", "--partition=cpu", "--wrap=more")
        run(account, "blue", "scancel", "1")
        assert problems(replaced(account)) == [
            "queue cpu of blue takes no new jobs and still has 1: job 2 (wrap) of ubuntu, running"
        ]
        assert (count(account, "blue", "gpu"), count(account, "green", "gpu")) == (0, 2)
        run(account, "blue", "scancel", "2")
        done = replaced(account)
        assert (problems(done), done.findings) == ([], ())
        assert {kept.split()[0] for kept in done.kept} == {"logs"}
        check_taken_over(account)
        now = cluster_config(account, "green")
        assert before is not None
        assert now is not None
        assert now["SharedStorage"] == before["SharedStorage"]
        slurm, former_slurm = (config["Scheduling"]["SlurmSettings"] for config in (now, before))
        assert slurm["ExternalSlurmdbd"] == former_slurm["ExternalSlurmdbd"]
        assert run(account, "green", "squeue", "--noheader", "--format=%i") == "1\n"
        assert changed(replaced(account)) == []


class PlacesToSubmit(Proxy):
    """Before each call that changes something, asks both clusters for a place for a job of each queue."""

    def __init__(self, account: Account) -> None:
        """Ask in an account."""
        super().__init__(account.endpoint or "")
        self._account, self._asking = account, threading.Lock()
        self.moments: list[tuple[str, str, tuple[str, ...]]] = []
        """Call and queue, and the clusters that have a place then."""

    def fault(self, request: Request) -> str | None:
        """Ask, and let the call through."""
        if (call := changing_call(request)) is not None:
            with self._asking:
                self.ask(call)
        return None

    def ask(self, moment: str) -> None:
        """Ask for a place in every queue."""
        for queue in ("gpu", "cpu"):
            self.moments.append((moment, queue, tuple(filter(partial(self._has_place, queue), ("blue", "green")))))

    def _has_place(self, queue: str, cluster: str) -> bool:
        try:
            head = head_node(cluster, self._account)
            return head.run(("sbatch", "--test-only", f"--partition={queue}", "--wrap=train")).status == 0
        except TrainyardError:  # there is no head node, or none that answers
            return False


@pytest.mark.exhaustive
def test_at_no_moment_there_is_no_place_to_submit():
    with prepared_account(OF_SAME_VERSION, make_former, SUCCESSOR) as account:
        with PlacesToSubmit(account) as places, served(places) as endpoint:
            places.ask("begin")
            assert problems(replaced(replace(account, endpoint=endpoint))) == []
            places.ask("end")
        check_taken_over(account)
    without = [(call, queue) for call, queue, clusters in places.moments if not clusters]
    assert without == []
    for queue in ("gpu", "cpu"):
        led_to = [clusters for _, name, clusters in places.moments if name == queue]
        assert (led_to[0], led_to[-1]) == (("blue",), ("green",))
        assert ("blue", "green") in led_to
        assert [clusters for clusters, _ in groupby(led_to)] == [("blue",), ("blue", "green"), ("green",)]
    assert len(places.moments) > 100
    former_goes = next(at for at, (call, *_) in enumerate(places.moments) if call == "DeleteStack")
    assert all(clusters == ("green",) for _, _, clusters in places.moments[former_goes:])


@pytest.mark.exhaustive
@pytest.mark.parametrize("action", ["SendCommand", "DeleteStack"])
def test_a_lost_answer_to_slurm_or_to_a_deletion_changes_nothing(action: str):
    with prepared_account(FORMER, begin, SUCCESSOR) as account:
        run(account, "blue", "scancel", "1")
        with faulty_proxy(account.endpoint or "", lost=action) as (endpoint, faults):
            assert problems(replaced(replace(account, endpoint=endpoint))) == []
        assert faults["reset after"] == 1
        check_taken_over(account)


def goes_on_from_kills(before: Account, calls: Counter[str]) -> int:
    """Replace from so many points of each call on, and return how many they were."""
    seen: Counter[str] = Counter()

    def is_chosen(number: int, call: str) -> bool:
        del number
        kind = call.partition(" ")[0]  # of PUT /bucket/key
        seen[kind] += 1
        return seen[kind] <= calls[kind]

    with kill_points(before, SUCCESSOR, is_chosen) as (account, points):
        assert problems(replaced(account)) == []
        expected = whole_account(before)
        for point in points:
            let_lock_end(point.account)
            assert (point.call, problems(replaced(point.account))) == (point.call, [])
            check_taken_over(point.account)
            left = whole_account(point.account)
            assert (point.call, left - expected, expected - left) == (point.call, Counter(), Counter())
        return len(points)


def let_lock_end(account: Account) -> None:
    """Let the holder of the lock of the former cluster be gone, which is this process and lives on."""
    bucket, key = bucket_of(parse(FORMER, "cluster.yaml").spec, account), f"{folder('blue')}/lock"
    if (stored := s3.get(account, bucket, key)) is not None:
        holder = {**json.loads(stored.content), "until": "2020-01-01T00:00:00+00:00"}
        s3.put(account, bucket, key, json.dumps(holder).encode())


@pytest.mark.exhaustive
def test_who_is_killed_between_a_queue_and_the_end_of_the_former_cluster_goes_on():
    with prepared_account(FORMER, begin, SUCCESSOR) as account:
        run(account, "blue", "scancel", "1")
        assert goes_on_from_kills(account, Counter({"DeleteStack": 1})) == 1


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("call", ["SendCommand", "DeleteStack", "CreateChangeSet", "PUT", "DELETE"])
def test_who_is_killed_before_any_call_of_the_move_goes_on(call: str):
    with prepared_account(FORMER, begin, SUCCESSOR) as account:
        run(account, "blue", "scancel", "1")
        assert goes_on_from_kills(account, Counter({call: 100})) > 0


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("call", ["CreateStack", "UpdateStack", "UpdateItem", "ExecuteChangeSet"])
def test_who_is_killed_while_the_second_cluster_is_made_goes_on(call: str):
    with prepared_account(FORMER, make_former, SUCCESSOR) as account:
        assert goes_on_from_kills(account, Counter({call: 3})) > 0


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 4))
def test_a_network_that_fails_a_fifth_of_all_calls_changes_nothing(seed: int):
    with prepared_account(FORMER, make_former, SUCCESSOR) as account:
        with faulty_proxy(account.endpoint or "", seed) as (endpoint, counted):
            assert problems(replaced(replace(account, endpoint=endpoint))) == []
        assert sum(counted.values()) > 5
        check_taken_over(account)
