"""A PyTorchJob whose pods fail, or whose node goes: its operator starts them again, as often as it may."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.eks_clusters import end_pod, group, made_by_trainyard
from trainyard.api.run_report import report_run
from trainyard.edge.aws.account import Account
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl, emulated_kubectl_of
from trainyard.platforms.eks.rendering.manifests import documents, native
from trainyard.platforms.eks.training_scheduler import OnTrainingOperators
from trainyard.submission.job import PlannedJob
from trainyard.training.ledger.kept_pods import FILE

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
NODES = group("cpu", "c5.2xlarge", 3)
JOB: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "llm", "namespace": "default"},
    "spec": {
        "runPolicy": {"cleanPodPolicy": "Running", "backoffLimit": 3},
        "elasticPolicy": {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 2},
        "pytorchReplicaSpecs": {
            "Worker": {
                "replicas": 2,
                "restartPolicy": "OnFailure",
                "template": {
                    "spec": {
                        # A node has room for one.
                        "containers": [
                            {
                                "name": "pytorch",
                                "image": "torch",
                                "resources": {"requests": {"cpu": "6"}},
                                "env": [{"name": "KEY", "value": "SECRET"}],
                            }
                        ]
                    }
                },
            }
        },
    },
}


class TrainingOnCluster:
    """A run on an emulated cluster."""

    def __init__(self, account: Account, cluster: str, kubectl: EmulatedKubectl, **spec: Any) -> None:
        self.account, self.cluster, self.kubectl = account, cluster, kubectl
        self.operator = OnTrainingOperators(account, cluster, emulated_kubectl_of)
        job = copy.deepcopy(JOB)
        job["spec"]["pytorchReplicaSpecs"]["Worker"].update(spec)
        self.job = PlannedJob(
            "llm", "the run", "training", 2, "cpu", "c5.2xlarge", 60, "", {}, request={"documents": [job]}
        )
        self.number = self.operator.submit("t", self.job, "t", None)

    @property
    def state(self) -> str:
        return self.operator.states([self.number])[self.number].state

    def pods(self) -> dict[str, dict[str, Any]]:
        found = self.kubectl.get("pods", namespace="default")
        return {pod["metadata"]["name"]: pod for pod in found if pod["metadata"]["name"].startswith("llm-")}

    def keep(self, folder: Path) -> None:
        self.operator.keep_nodes(self.number, folder)

    def end(self, pod: str, **state: Any) -> None:
        end_pod(self.account, self.cluster, pod, **state)


@pytest.fixture(scope="module")
def cluster(account: Account) -> Iterator[str]:
    with made_by_trainyard(account, NODES) as name:
        yield name


@pytest.fixture
def kubectl(account: Account, cluster: str) -> Iterator[EmulatedKubectl]:
    with emulated_kubectl_of(account, cluster) as found:
        found.apply(documents(native("training-operator.yaml")), force_conflicts=True)
        yield found
        found.delete(found.get("pytorchjobs.kubeflow.org", namespace="default"))


def test_a_container_that_crashes_starts_again_in_its_pod(account: Account, cluster: str, kubectl: EmulatedKubectl):
    training = TrainingOnCluster(account, cluster, kubectl)
    before = training.pods()["llm-worker-1"]
    training.end("llm-worker-1", exitCode=1)
    after = training.pods()["llm-worker-1"]
    (status,) = after["status"]["containerStatuses"]
    assert (status["restartCount"], status["lastState"]["terminated"]["exitCode"], training.state) == (1, 1, "RUNNING")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]


def test_at_its_backoff_limit_the_run_has_failed_and_can_be_submitted_again(
    account: Account, cluster: str, kubectl: EmulatedKubectl
):
    training = TrainingOnCluster(account, cluster, kubectl)
    for pod in ("llm-worker-0", "llm-worker-1"):
        training.end(pod, exitCode=1)
        assert training.state == "RUNNING"
    training.end("llm-worker-0", exitCode=137)
    (state,) = training.operator.states([training.number]).values()
    assert (state.state, "backoff limit" in state.reason, training.pods()) == ("FAILED", True, {})
    again = TrainingOnCluster(account, cluster, kubectl)
    assert (again.state, again.number != training.number) == ("RUNNING", True)
    assert {pod["status"]["containerStatuses"][0]["restartCount"] for pod in again.pods().values()} == {0}


def test_a_pod_that_is_evicted_is_another_one_of_its_name(account: Account, cluster: str, kubectl: EmulatedKubectl):
    training = TrainingOnCluster(account, cluster, kubectl)
    before = training.pods()
    training.end("llm-worker-1", reason="Evicted")
    after = training.pods()
    assert after["llm-worker-0"]["metadata"]["uid"] == before["llm-worker-0"]["metadata"]["uid"]
    assert after["llm-worker-1"]["metadata"]["uid"] != before["llm-worker-1"]["metadata"]["uid"]
    assert (after["llm-worker-1"]["status"]["phase"], training.state) == ("Running", "RUNNING")


def test_where_nothing_is_started_again_the_run_fails_with_its_first_pod(
    account: Account, cluster: str, kubectl: EmulatedKubectl
):
    training = TrainingOnCluster(account, cluster, kubectl, restartPolicy="Never")
    training.end("llm-worker-1", exitCode=1)
    assert (training.state, list(training.pods())) == ("FAILED", ["llm-worker-1"])
    assert training.pods()["llm-worker-1"]["status"]["phase"] == "Failed"


def test_by_exit_code_only_what_the_system_ended_is_started_again(
    account: Account, cluster: str, kubectl: EmulatedKubectl
):
    training = TrainingOnCluster(account, cluster, kubectl, restartPolicy="ExitCode")
    training.end("llm-worker-1", exitCode=137)
    assert training.state == "RUNNING"
    training.end("llm-worker-1", exitCode=1)
    assert training.state == "FAILED"


def test_a_pod_whose_node_goes_is_made_anew(account: Account, cluster: str, kubectl: EmulatedKubectl):
    training = TrainingOnCluster(account, cluster, kubectl)
    before = training.pods()["llm-worker-1"]
    ids = {node["metadata"]["name"]: node["spec"]["providerID"] for node in kubectl.get("nodes")}
    instance = ids[before["spec"]["nodeName"]].rpartition("/")[2]
    account.client("ec2").terminate_instances(InstanceIds=[instance])
    after = training.pods()["llm-worker-1"]
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert training.state == "RUNNING"


def test_a_run_that_has_done_all_its_steps_is_completed(account: Account, cluster: str, kubectl: EmulatedKubectl):
    training = TrainingOnCluster(account, cluster, kubectl)
    training.end("llm-worker-0", exitCode=0)
    assert (training.state, list(training.pods())) == ("COMPLETED", ["llm-worker-0"])


def test_the_report_knows_the_nodes_of_pods_that_were_replaced(
    account: Account, cluster: str, kubectl: EmulatedKubectl, tmp_path: Path
):
    training = TrainingOnCluster(account, cluster, kubectl)
    begun = time.time() - 1
    for _ in range(2):
        training.keep(tmp_path)
        time.sleep(1.1)  # Kubernetes tells whole seconds
        training.end("llm-worker-1", reason="Evicted")
    training.keep(tmp_path)
    time.sleep(1.1)
    training.end("llm-worker-0", exitCode=0)
    assert training.state == "COMPLETED"
    training.keep(tmp_path)
    kept = json.loads((tmp_path / FILE).read_text())["items"]
    assert sorted(pod["metadata"]["name"] for pod in kept) == ["llm-worker-0", *["llm-worker-1"] * 3]
    assert "SECRET" not in (tmp_path / FILE).read_text()
    (told,) = report_run(jobs=str(tmp_path / FILE))["runs"]
    assert [start["restart"] for start in told["attempts"]] == [0, 1, 2]
    assert all(begun * 1000 <= start["begin_ms"] < start["end_ms"] for start in told["attempts"])
