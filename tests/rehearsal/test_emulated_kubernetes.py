"""What an emulated cluster takes, what becomes of it, and what it refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.rehearsal.eks_clusters import GPU_TAINT, deleted, group, made
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.refusals import NoSuchKindError, NotThereError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl, emulated_kubectl_of
from trainyard.platforms.eks.rendering.manifests import documents, native

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

GPUS = group("gpu", "g4dn.8xlarge", 2, labels={"trainyard/queue": "gpu"}, taints=[GPU_TAINT])
PLUGIN = documents(native("nvidia-device-plugin.yaml").replace("p5.48xlarge", "g4dn.8xlarge"))
JOB: dict[str, Any] = {
    "apiVersion": "kubeflow.org/v2beta1",
    "kind": "MPIJob",
    "metadata": {"name": "test", "namespace": "default"},
    "spec": {
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "template": {"spec": {"containers": [{"name": "l", "image": "nccl"}]}}},
            "Worker": {
                "replicas": 2,
                "template": {
                    "spec": {
                        "containers": [{"name": "w", "image": "nccl", "resources": {"limits": {"nvidia.com/gpu": 1}}}]
                    }
                },
            },
        }
    },
}


@pytest.fixture(scope="module")
def cluster(account: Account) -> Iterator[str]:
    name = made(account, GPUS)
    yield name
    deleted(account, name)


@pytest.fixture
def kubectl(account: Account, cluster: str) -> Iterator[EmulatedKubectl]:
    with emulated_kubectl_of(account, cluster) as found:
        yield found


def gpus(kubectl: EmulatedKubectl) -> list[str | None]:
    nodes = kubectl.get("nodes", selector="trainyard/queue=gpu")
    return [node["status"]["allocatable"].get("nvidia.com/gpu") for node in nodes]


def pods(kubectl: EmulatedKubectl, owner: str, namespace: str = "default") -> list[dict[str, Any]]:
    return [pod for pod in kubectl.get("pods", namespace=namespace) if pod["metadata"]["name"].startswith(owner)]


def reasons(kubectl: EmulatedKubectl, about: str) -> set[str]:
    return {event["reason"] for event in kubectl.get("events") if event["involvedObject"]["name"].startswith(about)}


def workload(name: str, **pod: Any) -> dict[str, Any]:
    labels = {"app": name}
    spec = {"containers": [{"name": name, "image": "alpine"}], **pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


@pytest.fixture
def applied(kubectl: EmulatedKubectl) -> Iterator[Any]:
    """Apply documents that are gone after the test."""
    there: list[dict[str, Any]] = []

    def apply(*these: dict[str, Any], **how: bool) -> None:
        there.extend(these)
        kubectl.apply(these, **how)

    yield apply
    kubectl.delete(there[::-1])


def test_nodes_have_the_labels_and_taints_of_their_group(kubectl: EmulatedKubectl):
    found = kubectl.get("nodes", selector="eks.amazonaws.com/nodegroup=gpu")
    assert len(found) == 2
    labels = found[0]["metadata"]["labels"]
    assert labels["node.kubernetes.io/instance-type"] == "g4dn.8xlarge"
    assert labels["trainyard/queue"] == "gpu"
    assert found[0]["spec"]["taints"] == [GPU_TAINT]
    assert [one["status"] for one in found[0]["status"]["conditions"] if one["type"] == "Ready"] == ["True"]


def test_pods_get_less_of_a_node_than_it_has(kubectl: EmulatedKubectl):
    (node, _) = kubectl.get("nodes", selector="eks.amazonaws.com/nodegroup=gpu")
    assert node["status"]["allocatable"]["cpu"] == "31850m"
    assert int(node["status"]["allocatable"]["memory"].removesuffix("Mi")) < 131072


def test_a_node_offers_gpus_where_a_device_plugin_runs(kubectl: EmulatedKubectl, applied: Any):
    assert gpus(kubectl) == [None, None]
    applied(*PLUGIN)
    assert gpus(kubectl) == ["1", "1"]


@pytest.mark.parametrize(
    "spoilt",
    [
        {"tolerations": [{"key": "aws.amazon.com/neuron", "operator": "Exists"}]},
        {"nodeSelector": {"trainyard/queue": "other"}},
        {"priorityClassName": "most-important"},
        {"serviceAccountName": "nobody"},
    ],
    ids=lambda one: next(iter(one)),
)
def test_a_device_plugin_that_cannot_stand_there_leaves_nodes_without_gpus(
    kubectl: EmulatedKubectl, applied: Any, spoilt: dict[str, Any]
):
    plugin = copy.deepcopy(PLUGIN[0])
    plugin["spec"]["template"]["spec"] |= spoilt
    applied(plugin)
    assert gpus(kubectl) == [None, None]


def test_who_makes_a_pod_without_its_service_account_is_told(kubectl: EmulatedKubectl, applied: Any):
    applied(workload("alone", serviceAccountName="nobody"))
    assert pods(kubectl, "alone") == []
    assert reasons(kubectl, "alone") == {"FailedCreate"}


def test_a_pod_waits_for_its_config_map(kubectl: EmulatedKubectl, applied: Any):
    applied(workload("waiting", volumes=[{"name": "it", "configMap": {"name": "settings"}}]))
    assert [pod["status"]["phase"] for pod in pods(kubectl, "waiting")] == ["Pending"]
    assert reasons(kubectl, "waiting") == {"FailedMount"}
    applied({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}})
    assert [pod["status"]["phase"] for pod in pods(kubectl, "waiting")] == ["Running"]


def test_a_claim_is_bound_to_the_volume_that_it_names_and_mounted_by_its_driver(kubectl: EmulatedKubectl, applied: Any):
    volume, claim = documents(native("fsx-volumes.yaml"))
    name = claim["metadata"]["name"]
    applied(volume, claim, workload("data", volumes=[{"name": "it", "persistentVolumeClaim": {"claimName": name}}]))
    assert [one["status"]["phase"] for one in kubectl.get("persistentvolumeclaims")] == ["Bound"]
    assert (
        "not found in the list of registered CSI drivers"
        in pods(kubectl, "data")[0]["status"]["conditions"][-1]["message"]
    )
    applied(*documents(native("fsx-csi-driver.yaml")))
    assert [pod["status"]["phase"] for pod in pods(kubectl, "data")] == ["Running"]


def test_the_status_of_a_workload_counts_its_pods(kubectl: EmulatedKubectl, applied: Any):
    applied(workload("counted"))
    (found,) = (one for one in kubectl.get("deployments.apps") if one["metadata"]["name"] == "counted")
    assert found["status"]["readyReplicas"] == 1
    assert found["kind"] == "Deployment"


def test_jobs_run_where_their_operator_does_and_there_are_gpus(kubectl: EmulatedKubectl, applied: Any):
    applied(*documents(native("mpi-operator.yaml")), JOB)
    assert {pod["status"]["phase"] for pod in pods(kubectl, "test-worker")} == {"Pending"}
    assert "Insufficient nvidia.com/gpu" in pods(kubectl, "test-worker")[0]["status"]["conditions"][-1]["message"]
    applied(*PLUGIN)
    assert [pod["metadata"]["name"][:13] for pod in pods(kubectl, "test-")] == [
        "test-worker-0",
        "test-worker-1",
        "test-launcher",
    ]
    assert {pod["status"]["phase"] for pod in pods(kubectl, "test-")} == {"Running"}
    assert {condition["type"] for condition in kubectl.get("mpijobs.kubeflow.org")[0]["status"]["conditions"]} == {
        "Created",
        "Running",
    }


def test_a_kind_that_nobody_defined_is_refused(kubectl: EmulatedKubectl):
    with pytest.raises(NoSuchKindError, match="no matches for kind 'MPIJob'"):
        kubectl.apply([JOB])
    with pytest.raises(NoSuchKindError, match=r"resource type 'mpijobs\.kubeflow\.org'"):
        kubectl.get("mpijobs.kubeflow.org")


def test_a_namespace_that_nobody_made_is_refused(kubectl: EmulatedKubectl):
    nowhere = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "nowhere"}}
    with pytest.raises(NotThereError, match="namespaces 'nowhere' not found"):
        kubectl.apply([nowhere])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"metadata": {"name": "Has_Capitals", "namespace": "default"}}, "RFC 1123"),
        ({"metadata": {"name": "one", "namespace": "default", "labels": {"a": "b c"}}}, "metadata.labels"),
        ({"data": {"it": "x" * (1 << 21)}}, "Too long"),
    ],
    ids=["name", "label", "size"],
)
def test_what_is_no_object_is_refused(kubectl: EmulatedKubectl, changed: dict[str, Any], words: str):
    plain = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "default"}}
    with pytest.raises(TrainyardError) as error:
        kubectl.apply([{**plain, **changed}])
    assert words in error.value.problem


def test_a_selector_that_does_not_match_its_template_or_changes_is_refused(kubectl: EmulatedKubectl, applied: Any):
    wrong = workload("other")
    wrong["spec"]["selector"] = {"matchLabels": {"app": "another"}}
    with pytest.raises(TrainyardError, match="does not match template"):
        kubectl.apply([wrong])
    applied(workload("other"))
    wrong["spec"]["template"]["metadata"]["labels"] = {"app": "another"}
    with pytest.raises(TrainyardError, match="field is immutable"):
        kubectl.apply([wrong])


def test_fields_of_somebody_else_are_taken_by_force_alone(account: Account, cluster: str, kubectl: EmulatedKubectl):
    host = account.client("eks").describe_cluster(name=cluster)["cluster"]["endpoint"].removeprefix("https://")
    theirs = workload("shared")
    EmulatedKubectl(account, cluster, host, "eksctl").apply([theirs])
    ours = workload("shared")
    ours["spec"]["replicas"] = 2
    with pytest.raises(TrainyardError, match="conflict with 'eksctl'"):
        kubectl.apply([ours])
    kubectl.apply([ours], force_conflicts=True)
    assert len(pods(kubectl, "shared")) == 2
    kubectl.delete([ours])


def test_what_bindings_and_webhooks_refer_to_in_vain_is_found(kubectl: EmulatedKubectl, applied: Any):
    operator = documents(native("mpi-operator.yaml"))
    without = [one for one in operator if one["kind"] != "ServiceAccount"]
    applied(*without)
    assert any("which does not exist" in one for one in kubectl.dangling())
    applied(*operator, force_conflicts=True)
    assert kubectl.dangling() == []


@pytest.fixture
def planted(account: Account) -> Iterator[Any]:
    """Let something break down until the test is over."""

    def plant(name: str | None) -> None:
        body = json.dumps({"breakdown": name}).encode()
        urlopen(Request(f"{account.endpoint}/trainyard/faults", body, method="PUT")).close()

    yield plant
    plant(None)


def test_an_image_that_is_not_pulled_leaves_its_pods_waiting(kubectl: EmulatedKubectl, applied: Any, planted: Any):
    planted("image-not-pulled")
    applied(*PLUGIN)
    (pod, _) = pods(kubectl, "nvidia-device-plugin", "kube-system")
    assert pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert "failed to resolve reference" in pod["status"]["containerStatuses"][0]["state"]["waiting"]["message"]
    assert gpus(kubectl) == [None, None]
    planted(None)
    assert gpus(kubectl) == ["1", "1"]


def test_an_api_server_that_does_not_answer_cannot_be_reached(kubectl: EmulatedKubectl, planted: Any):
    planted("kubernetes-api-unreachable")
    with pytest.raises(UnreachableError, match="unable to handle the request"):
        kubectl.get("nodes")


def test_a_pod_has_no_log_and_one_that_is_not_there_is_an_error(kubectl: EmulatedKubectl, applied: Any):
    applied(workload("quiet"))
    (pod,) = pods(kubectl, "quiet")
    assert list(kubectl.logs(pod["metadata"]["name"], "default")) == []
    with pytest.raises(NotThereError):
        list(kubectl.logs("nobody", "default"))
