"""A job finds room on its node beside what runs on every node, down to the smallest."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.clusters import AMP, FSX, G5, P5, TRN1, bench_jobs, cluster, made
from tests.platforms.eks.rendering.manifests.strictly import pods
from trainyard.catalog.instances import find
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rendering.names import labels

QUEUES = {
    "p5.48xlarge": P5,
    "p6-b200.48xlarge": P5.replace("p5.48xlarge", "p6-b200.48xlarge"),
    "trn1.32xlarge": TRN1,
    "g5.xlarge": G5,
    "g4dn.8xlarge": G5.replace("g5.xlarge", "g4dn.8xlarge"),
}
# Requests of the add-ons vpc-cni and kube-proxy: https://github.com/aws/amazon-vpc-cni-k8s/blob/master/charts/aws-vpc-cni
EKS_MILLI = 50 + 100
# Where Linux has put aside its own: an m5.xlarge of 16 GiB shows 15,525 MiB.
SHOWN = 0.945
UNITS = {"Mi": 1, "Gi": 1024}


def milli(cpu: str | int) -> int:
    text = str(cpu)
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def mib(memory: str) -> int:
    matched = re.fullmatch(r"(\d+)(Mi|Gi)", memory)
    assert matched is not None
    return int(matched[1]) * UNITS[matched[2]]


def allocatable(vcpus: int, memory_mib: int, *, efa: bool) -> tuple[int, int]:
    """Return what EKS's nodes leave for pods.

    https://github.com/awslabs/amazon-eks-ami/blob/main/nodeadm/internal/kubelet/config.go
    """
    pods_at_most = 58 if vcpus <= 4 else 250
    reserved = 60 + 10 + 10 + (vcpus - 4) * 2.5
    return (
        int(vcpus * 1000 - reserved),
        int(memory_mib * SHOWN) - (255 + 11 * pods_at_most) - 100 - (5128 * 2 if efa else 0),
    )


def asked(pod: dict[str, Any]) -> tuple[int, int]:
    requests = [container["resources"]["requests"] for container in pod["spec"]["containers"]]
    return sum(milli(request["cpu"]) for request in requests), sum(mib(request["memory"]) for request in requests)


def runs(pod: dict[str, Any], node: dict[str, str]) -> bool:
    spec = pod["spec"]
    wanted = {key: [value] for key, value in spec.get("nodeSelector", {}).items()}
    if "affinity" in spec:
        required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        wanted |= {one["key"]: one["values"] for one in required["nodeSelectorTerms"][0]["matchExpressions"]}
    return all(node.get(key) in values for key, values in wanted.items())


@pytest.mark.parametrize("instance_type", QUEUES)
def test_a_job_fits_on_a_node(instance_type: str):
    spec = cluster(QUEUES[instance_type], f"{FSX}{AMP}")
    (launch,) = compute_launches(spec)
    node = {**labels(launch), "node.kubernetes.io/instance-type": instance_type, "kubernetes.io/os": "linux"}
    daemons = [
        asked(pod)
        for documents in made(spec).values()
        for document in documents
        if document["kind"] == "DaemonSet"
        for pod in pods(document)
        if runs(pod, node)
    ]
    assert len(daemons) >= 5 - (instance_type == "trn1.32xlarge")
    facts = find(instance_type)
    assert facts is not None
    assert facts.vcpus is not None
    assert facts.memory_mib is not None
    cpus, memory = allocatable(facts.vcpus, facts.memory_mib, efa="trainyard/efa" in node)
    (example,) = list(made(spec)[f"examples/pytorch-job-{launch.queue_name}.yaml"][1:])
    (job,) = pods(example)
    jobs = [[asked(job)]]
    tests = [document for (document,) in bench_jobs(spec).values() if document["kind"] == "MPIJob"]
    jobs += [[asked(pod) for pod in pods(document)] for document in tests]
    for one in jobs:
        assert EKS_MILLI + sum(cpu for cpu, _ in [*daemons, *one]) <= cpus
        assert sum(amount for _, amount in [*daemons, *one]) <= memory
