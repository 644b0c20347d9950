"""Kubernetes of every version that EKS supports accepts every manifest, and no key is unknown to it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.each_case import each_case
from tests.platforms.eks.rendering.manifests.clusters import ALL, SPECS, bench_jobs, cluster, made
from tests.platforms.eks.rendering.manifests.strictly import VERSIONS, crd, problems
from trainyard.platforms.eks.rendering.manifests import FOLDER, documents, native

NATIVE = sorted(file.name for file in FOLDER.glob("*.yaml"))
EACH_VERSION = pytest.mark.parametrize("version", VERSIONS)


def found(files: dict[str, list[dict[str, Any]]], version: str) -> list[str]:
    return [
        f"{name}: {document['kind']}: {problem}"
        for name, listed in files.items()
        for document in listed
        for problem in problems(document, version)
    ]


@EACH_VERSION
@each_case("name", SPECS)
def test_the_manifests_of_a_cluster_are_accepted(name: str, version: str):
    assert found(made(SPECS[name]), version) == []


@pytest.mark.parametrize("name", SPECS)
def test_its_bandwidth_tests_are_accepted(name: str):
    assert found(bench_jobs(SPECS[name]), VERSIONS[-1]) == []


@EACH_VERSION
def test_bandwidth_tests_are_accepted_by_every_version(version: str):
    assert len(bench_jobs(cluster())) > 10
    assert found(bench_jobs(cluster()), version) == []


@EACH_VERSION
def test_the_files_of_the_package_are_accepted_as_they_lie_there(version: str):
    assert found({name: documents(native(name)) for name in NATIVE}, version) == []


def test_every_file_of_the_package_is_in_a_bundle_that_has_everything():
    named = {name.rpartition("/")[2] for name in made(ALL)}
    assert {name for name in NATIVE if name != "pytorch-job.yaml"} <= named
    assert {name for name in named if name.startswith("pytorch-job-")} == {
        "pytorch-job-train.yaml", "pytorch-job-trn.yaml", "pytorch-job-small.yaml",
    }  # fmt: skip


@EACH_VERSION
@pytest.mark.parametrize("file", ["node-exporter.yaml", "examples/pytorch-job-train.yaml"])
def test_a_key_that_kubernetes_does_not_know_would_be_found(file: str, version: str):
    document = copy.deepcopy(made(ALL)[file][-1])
    job = document["kind"] == "PyTorchJob"
    template = (document["spec"]["pytorchReplicaSpecs"]["Worker"] if job else document["spec"])["template"]
    template["spec"]["containers"][0]["imagePolicy"] = "Always"
    assert len(problems(document, version)) == 1


@pytest.mark.parametrize(("kind", "key"), [("PyTorchJob", "nprocPerNodes"), ("MPIJob", "slotsPerWorkers")])
def test_a_key_that_the_operator_does_not_know_would_be_found(kind: str, key: str):
    group, (version,) = crd(kind)["spec"]["group"], crd(kind)["spec"]["versions"]
    replicas = {"PyTorchJob": "pytorchReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}[kind]
    document = {"apiVersion": f"{group}/{version['name']}", "kind": kind, "metadata": {"name": "a"}}
    assert problems({**document, "spec": {replicas: {}}}, VERSIONS[-1]) == []
    assert key in "".join(problems({**document, "spec": {replicas: {}, key: 1}}, VERSIONS[-1]))
    assert replicas in "".join(problems({**document, "spec": {}}, VERSIONS[-1]))


@pytest.mark.parametrize(
    ("where", "key"), [((), "suspended"), (("failurePolicy",), "maxRestart"), (("replicatedJobs", 0), "replica"),
                       (("replicatedJobs", 0, "template", "spec"), "backoffLimits")]
)  # fmt: skip
def test_a_key_that_the_controller_of_job_sets_does_not_know_would_be_found(where: tuple[str | int, ...], key: str):
    pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}
    jobs = [{"name": "a", "template": {"spec": {"backoffLimit": 0, "template": pod}}}]
    spec: dict[str, Any] = {"failurePolicy": {"maxRestarts": 1}, "replicatedJobs": jobs}
    document = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "a"}, "spec": spec}
    assert problems(document, VERSIONS[-1]) == []
    place: Any = spec
    for step in where:
        place = place[step]
    place[key] = 1
    (found,) = problems(document, VERSIONS[-1])
    assert key in found
