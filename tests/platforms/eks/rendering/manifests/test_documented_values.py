"""Values that documents of others state, and that the manifests have to meet."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.clusters import ALL, AMP, G5, P5, TRN1, cluster, made, one
from tests.platforms.eks.rendering.manifests.strictly import crd, pods
from trainyard.bootstrap.steps import ASSETS
from trainyard.platforms.eks.rendering.monitoring_slots import dcgm_counters

STEP = ASSETS / "steps/65-dcgm-exporter.sh"


def worker(file: str) -> dict[str, Any]:
    return dict(one(ALL, file, "PyTorchJob")["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"])


# pkg/addons/assets/ of eksctl: what it installs by itself is replaced only by what has the same names.
@pytest.mark.parametrize(
    ("file", "name", "label", "container"),
    [
        (
            "nvidia-device-plugin.yaml", "nvidia-device-plugin-daemonset", "nvidia-device-plugin-ds",
            "nvidia-device-plugin-ctr",
        ),
        (
            "efa-device-plugin.yaml", "aws-efa-k8s-device-plugin-daemonset", "aws-efa-k8s-device-plugin",
            "aws-efa-k8s-device-plugin",
        ),
        (
            "neuron-device-plugin.yaml", "neuron-device-plugin-daemonset", "neuron-device-plugin-ds",
            "k8s-neuron-device-plugin-ctr",
        ),
    ],
)  # fmt: skip
def test_eksctl_s_own_device_plugins_are_replaced(file: str, name: str, label: str, container: str):
    found = one(ALL, file, "DaemonSet")
    assert (found["metadata"]["namespace"], found["metadata"]["name"]) == ("kube-system", name)
    assert found["spec"]["selector"] == {"matchLabels": {"name": label}}
    assert [container["name"] for container in found["spec"]["template"]["spec"]["containers"]] == [container]


# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
def test_a_job_on_p5_asks_for_what_aws_s_example_asks_for():
    (container,) = worker("examples/pytorch-job-train.yaml")["containers"]
    for kind in ("requests", "limits"):
        found = container["resources"][kind]
        assert {key: found[key] for key in ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi")} == {
            "nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32, "hugepages-2Mi": "5120Mi",
        }  # fmt: skip


# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html
def test_a_job_on_trn1_asks_for_chips_and_runs_a_process_for_each_core():
    (container,) = worker("examples/pytorch-job-trn.yaml")["containers"]
    limits = container["resources"]["limits"]
    assert (limits["aws.amazon.com/neuron"], limits["vpc.amazonaws.com/efa"]) == (16, 8)
    assert one(ALL, "examples/pytorch-job-trn.yaml", "PyTorchJob")["spec"]["elasticPolicy"]["nProcPerNode"] == 32


# https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html#shared-memory
@pytest.mark.parametrize("queue", ["train", "trn", "small"])
def test_shared_memory_is_more_than_kubernetes_gives(queue: str):
    pod = worker(f"examples/pytorch-job-{queue}.yaml")
    (volume,) = [volume for volume in pod["volumes"] if volume["name"] == "shm"]
    assert volume["emptyDir"]["medium"] == "Memory"
    assert int(volume["emptyDir"]["sizeLimit"].removesuffix("Mi")) > 1024
    assert {"name": "shm", "mountPath": "/dev/shm"} in pod["containers"][0]["volumeMounts"]


# https://www.kubeflow.org/docs/components/trainer/legacy-v1/user-guides/pytorch/
def test_torchrun_runs_in_the_container_that_the_operator_looks_for():
    job = one(ALL, "examples/pytorch-job-train.yaml", "PyTorchJob")
    (container,) = worker("examples/pytorch-job-train.yaml")["containers"]
    assert (container["name"], container["command"][0]) == ("pytorch", "torchrun")
    policy = job["spec"]["elasticPolicy"]
    assert (policy["rdzvBackend"], policy["minReplicas"], policy["maxReplicas"], policy["nProcPerNode"]) == (
        "c10d", 4, 4, 8,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "group", "version", "plural"),
    [
        ("MPIJob", "kubeflow.org", "v2beta1", "mpijobs"),
        ("PyTorchJob", "kubeflow.org", "v1", "pytorchjobs"),
        ("JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets"),
    ],
)
def test_the_crds_are_those_that_the_operators_watch(kind: str, group: str, version: str, plural: str):
    found = crd(kind)
    assert found["metadata"]["name"] == f"{plural}.{group}"
    assert (found["spec"]["group"], found["spec"]["scope"]) == (group, "Namespaced")
    assert [(version["name"], version["served"], version["storage"]) for version in found["spec"]["versions"]] == [
        (version, True, True)
    ]


# https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html
def test_file_systems_are_mounted_with_aws_s_options():
    options = [one["spec"]["mountOptions"] for one in made(ALL)["fsx-volumes.yaml"] if "mountOptions" in one["spec"]]
    assert options == [["noatime", "flock"]] * 2


# The ports that Prometheus scrapes: trainyard.monitoring
@pytest.mark.parametrize(
    ("file", "port"), [("node-exporter.yaml", 9100), ("node-health.yaml", 9341), ("dcgm-exporter.yaml", 9400)]
)
def test_exporters_listen_on_the_network_of_the_node(file: str, port: int):
    for document in made(ALL)[file]:
        for pod in pods(document):
            (container,) = pod["spec"]["containers"]
            assert pod["spec"]["hostNetwork"] is True
            assert [found["hostPort"] for found in container["ports"]] == [port]
            assert f":{port}" in " ".join([*container.get("command", ()), *container.get("args", ())])


def test_counters_of_gpus_are_those_of_the_other_platforms():
    all_of_step = re.findall(r"^(DCGM_FI_\w+), \w+, ", STEP.read_text(encoding="utf-8"), re.MULTILINE)
    of_p5, of_g5 = (dcgm_counters(cluster(queue)) for queue in (P5, G5))
    assert of_p5 is not None
    assert of_g5 is not None
    assert set(re.findall(r"^(DCGM_FI_\w+), ", of_p5, re.MULTILINE)) == set(all_of_step)
    assert not re.search("^DCGM_FI_PROF_", of_g5, re.MULTILINE)
    assert re.search("^DCGM_FI_PROF_", of_p5, re.MULTILINE)
    assert dcgm_counters(cluster(TRN1)) is None
    assert one(cluster(P5, AMP), "dcgm-exporter.yaml", "ConfigMap")["data"]["counters.csv"] == of_p5
