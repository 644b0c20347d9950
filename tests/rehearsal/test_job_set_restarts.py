"""A JobSet as `run render` writes it: all its pods start again together, and what does not count is not counted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.eks_clusters import end_pod, group, made_by_trainyard
from trainyard.api.run import new_run
from trainyard.api.run_report import report_run
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl, emulated_kubectl_of
from trainyard.platforms.eks.rendering.manifests import documents, native
from trainyard.platforms.eks.training_jobs import job
from trainyard.platforms.eks.training_scheduler import OnTrainingOperators
from trainyard.spec.parsing import parse
from trainyard.training.ledger.kept_pods import FILE
from trainyard.training.run_file import parse_run

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
NODES = group(
    "cpu", "c5.2xlarge", 4, labels={"trainyard/queue": "cpu", "node.kubernetes.io/instance-type": "c5.2xlarge"}
)
SPEC = """\
name: lab
region: us-east-2
platform: eks
queues:
  - {name: cpu, instance_type: c5.2xlarge, nodes: 4}
eks: {operators: [jobset]}
"""
JOB_SETS, JOB = "jobsets.jobset.x-k8s.io", "llm-worker-0"
ATTEMPT, INDEX = "jobset.sigs.k8s.io/restart-attempt", "batch.kubernetes.io/job-completion-index"


class JobSetOnCluster:
    """A run of two nodes on an emulated cluster."""

    def __init__(
        self, account: Account, cluster: str, kubectl: EmulatedKubectl, most: int = 1, name: str = "llm"
    ) -> None:
        self.account, self.cluster, self.kubectl, self.name = account, cluster, kubectl, name
        self.scheduler = OnTrainingOperators(account, cluster, emulated_kubectl_of)
        text = new_run("command").replace("name: own-command", f"name: {name}").replace("most: 20", f"most: {most}")
        run, spec = parse_run(text, "run.yaml")[0], parse(SPEC, "cluster.yaml").spec
        self.number = self.scheduler.submit("t", job(run, spec, self.scheduler), "t", None)

    @property
    def state(self) -> str:
        return self.scheduler.states([self.number])[self.number].state

    @property
    def reason(self) -> str:
        return self.scheduler.states([self.number])[self.number].reason

    @property
    def status(self) -> dict[str, Any]:
        found = self.kubectl.get(JOB_SETS, namespace="default")
        return dict(next(one["status"] for one in found if one["metadata"]["name"] == self.name))

    @property
    def restarts(self) -> tuple[int, int]:
        """Return all restarts, and those that count."""
        return self.status["restarts"], self.status["restartsCountTowardsMax"]

    def pods(self) -> list[dict[str, Any]]:
        found = self.kubectl.get("pods", namespace="default", selector=f"jobset.sigs.k8s.io/jobset-name={self.name}")
        return sorted(found, key=lambda pod: int(pod["metadata"]["labels"][INDEX]))

    def uids(self) -> set[str]:
        return {pod["metadata"]["uid"] for pod in self.pods()}

    def attempts(self) -> list[str]:
        return [pod["metadata"]["labels"][ATTEMPT] for pod in self.pods()]

    def end(self, index: int, **state: Any) -> None:
        """End a container of a pod; with a reason, the pod."""
        name = self.pods()[index]["metadata"]["name"]
        end_pod(self.account, self.cluster, name, **state)

    def instance(self, index: int) -> str:
        ids = {node["metadata"]["name"]: node["spec"]["providerID"] for node in self.kubectl.get("nodes")}
        return str(ids[self.pods()[index]["spec"]["nodeName"]].rpartition("/")[2])


@pytest.fixture(scope="module")
def cluster(account: Account) -> Iterator[str]:
    with made_by_trainyard(account, NODES) as name:
        yield name


@pytest.fixture
def start(account: Account, cluster: str) -> Iterator[Callable[..., JobSetOnCluster]]:
    with emulated_kubectl_of(account, cluster) as kubectl:
        kubectl.apply(documents(native("jobset.yaml")), force_conflicts=True)
        yield lambda **more: JobSetOnCluster(account, cluster, kubectl, **more)
        kubectl.delete(kubectl.get(JOB_SETS, namespace="default"))


Start = Callable[..., JobSetOnCluster]


def test_a_job_set_has_one_indexed_job_and_its_pods_have_names_ranks_and_one_node_each(start: Start):
    training = start()
    (child,) = training.kubectl.get("jobs.batch", namespace="default")
    assert (child["metadata"]["name"], child["status"]["ready"]) == (JOB, 2)
    assert [owner["kind"] for owner in child["metadata"]["ownerReferences"]] == ["JobSet"]
    first, second = training.pods()
    assert first["metadata"]["name"].startswith(f"{JOB}-0-")
    assert (second["spec"]["hostname"], second["spec"]["subdomain"]) == (f"{JOB}-1", "llm")
    assert first["spec"]["nodeName"] != second["spec"]["nodeName"]
    assert (training.state, training.restarts, training.attempts()) == ("RUNNING", (0, 0), ["0", "0"])


def test_a_pod_that_fails_starts_all_of_them_again_and_counts(start: Start):
    training = start()
    before = training.uids()
    training.end(1, exitCode=1)
    assert (training.state, training.restarts, training.attempts()) == ("RUNNING", (1, 1), ["1", "1"])
    assert not before & training.uids()
    (restarting,) = training.status["conditions"]
    assert (restarting["type"], restarting["status"], restarting["reason"]) == ("Restarting", "False", "JobsReady")


def test_after_so_many_restarts_the_run_has_failed_and_can_be_submitted_again(start: Start):
    training = start()
    training.end(0, exitCode=1)
    training.end(1, exitCode=137)
    assert (training.state, training.restarts) == ("FAILED", (1, 1))
    assert training.reason == (
        f'ReachedMaxRestarts: "jobset failed due to reaching max number of restarts (first failed job: {JOB}); '
        'Job has reached the specified backoff limit"'
    )
    assert [pod["status"]["phase"] for pod in training.pods()] == ["Failed"]
    again = start()
    assert (again.state, again.restarts, again.number != training.number) == ("RUNNING", (0, 0), True)


def test_an_evicted_pod_starts_all_again_as_often_as_it_happens(start: Start):
    training = start()
    for _ in range(3):
        training.end(1, reason="Evicted")
    assert (training.state, training.restarts, training.attempts()) == ("RUNNING", (3, 0), ["3", "3"])
    training.end(0, exitCode=1)
    assert (training.state, training.restarts) == ("RUNNING", (4, 1))


def test_a_node_that_is_drained_starts_all_again_elsewhere_and_does_not_count(start: Start):
    training = start()
    node = training.pods()[0]["spec"]["nodeName"]
    document = next(one for one in training.kubectl.get("nodes") if one["metadata"]["name"] == node)
    identity = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "uid": document["metadata"]["uid"]}}
    training.kubectl.apply([{**identity, "spec": {"unschedulable": True}}], force_conflicts=True)
    assert training.kubectl.drain(node) == []
    assert (training.state, training.restarts) == ("RUNNING", (1, 0))
    assert node not in {pod["spec"]["nodeName"] for pod in training.pods()}
    training.kubectl.apply([identity], force_conflicts=True)


def test_a_program_that_refuses_is_not_started_again(start: Start):
    training = start()
    training.end(1, exitCode=2)
    assert (training.state, training.restarts) == ("FAILED", (0, 0))
    assert training.reason.startswith("FailJobSetFailurePolicyAction")
    assert "failed with exit code 2 matching FailJob rule at index 1" in training.reason


def test_without_restarts_a_run_that_is_evicted_has_failed(start: Start):
    training = start(most=0)
    training.end(0, reason="Evicted")
    assert (training.state, training.restarts) == ("FAILED", (0, 0))


def test_all_nodes_have_to_come_to_the_end(start: Start):
    training = start()
    training.end(0, exitCode=0)
    assert training.state == "RUNNING"
    training.end(1, exitCode=0)
    assert (training.state, training.status["terminalState"]) == ("COMPLETED", "Completed")
    assert [pod["status"]["phase"] for pod in training.pods()] == ["Succeeded", "Succeeded"]


def test_pods_that_have_ended_leave_their_nodes_to_others(start: Start):
    training = start()
    for index in (0, 1):
        training.end(index, exitCode=0)
    nodes = [pod["spec"]["nodeName"] for pod in training.pods()]
    others = [start(name=name) for name in ("second", "third")]
    assert [(other.state, len(other.pods())) for other in others] == [("RUNNING", 2), ("RUNNING", 2)]
    assert set(nodes) <= {pod["spec"]["nodeName"] for other in others for pod in other.pods()}
    assert [pod["spec"]["nodeName"] for pod in training.pods()] == nodes


def test_two_jobs_of_one_name_do_not_run_at_once_and_one_is_taken_back(start: Start):
    training = start()
    with pytest.raises(TrainyardError, match="a JobSet llm runs already"):
        start()
    training.scheduler.cancel([training.number])
    assert (training.kubectl.get("jobs.batch", namespace="default"), training.pods()) == ([], [])
    assert training.state == "GONE"


def test_the_report_knows_the_nodes_of_every_start(start: Start, tmp_path: Path):
    training = start()
    begun = time.time() - 1
    for ended in ({"reason": "Evicted"}, {"exitCode": 1}):
        training.scheduler.keep_nodes(training.number, tmp_path)
        time.sleep(1.1)  # Kubernetes tells whole seconds
        training.end(1, **ended)
    training.scheduler.keep_nodes(training.number, tmp_path)
    time.sleep(1.1)
    for index in (0, 1):
        training.end(index, exitCode=0)
    training.scheduler.keep_nodes(training.number, tmp_path)
    assert len(json.loads((tmp_path / FILE).read_text())["items"]) == 6
    (told,) = report_run(jobs=str(tmp_path / FILE))["runs"]
    starts = told["attempts"]
    assert [one["restart"] for one in starts] == [0, 1, 2]
    assert [one["state"] for one in starts] == ["FAILED", "FAILED", "COMPLETED"]
    assert all(begun * 1000 <= one["begin_ms"] < one["end_ms"] for one in starts)
    assert all(one["end_ms"] <= later["begin_ms"] for one, later in pairwise(starts))
    assert told["interruptions"] == 2


def test_a_node_that_goes_starts_all_again_elsewhere_and_does_not_count(start: Start, account: Account):
    training = start()
    before = training.uids()
    account.client("ec2").terminate_instances(InstanceIds=[training.instance(0)])
    assert (training.state, training.restarts) == ("RUNNING", (1, 0))
    assert not before & training.uids()
