"""Jobs as MPIJobs, held against what the API of the MPI Operator allows.

Keys and types as they stand in its types, and of pods those that are used here:
https://github.com/kubeflow/mpi-operator/blob/master/pkg/apis/kubeflow/v2beta1/types.go
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.render.bench.specs import with_queue, with_queues
from trainyard.errors import InputError
from trainyard.render.bench.mpi_job import mpi_job
from trainyard.render.bench.plan import jobs_for

IMAGE = "public.ecr.aws/hpc-cloud/nccl-tests:cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3"
JOBS = [job for job in jobs_for(with_queue(nodes="4")) if not job.then]
EACH_JOB = pytest.mark.parametrize("job", JOBS, ids=lambda one: one.id)

QUANTITIES = {str: int}
CONTAINER = {
    "name": str, "image": str, "command": [str], "resources": {"limits": QUANTITIES, "requests": QUANTITIES},
    "volumeMounts": [{"name": str, "mountPath": str}],
}  # fmt: skip
POD = {
    "restartPolicy": str, "nodeSelector": {str: str}, "containers": [CONTAINER],
    "volumes": [{"name": str, "emptyDir": {"medium": str, "sizeLimit": str}}],
}  # fmt: skip
REPLICAS = {"replicas": int, "restartPolicy": str, "template": {"metadata": {"labels": {str: str}}, "spec": POD}}
MPI_JOB = {
    "apiVersion": str,
    "kind": str,
    "metadata": {"name": str, "namespace": str, "labels": {str: str}, "annotations": {str: str}},
    "spec": {
        "slotsPerWorker": int,
        "runPolicy": {
            "cleanPodPolicy": str, "ttlSecondsAfterFinished": int, "activeDeadlineSeconds": int, "backoffLimit": int,
            "suspend": bool,
        },
        "mpiReplicaSpecs": {"Launcher": REPLICAS, "Worker": REPLICAS},
        "sshAuthMountPath": str,
        "mpiImplementation": str,
    },
}  # fmt: skip


def problems(value: Any, shape: Any, path: str = "") -> list[str]:
    """Return where a value is not of a shape: keys to shapes, any key to a type, a list of a shape, or a type."""
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{path}: {value!r} is no {shape.__name__}"]
    if isinstance(shape, list):
        return [one for at, member in enumerate(value) for one in problems(member, shape[0], f"{path}[{at}]")]
    if set(shape) == {str}:
        return [one for key, member in value.items() for one in problems(member, shape[str], f"{path}.{key}")]
    unknown = [f"{path}.{key} is unknown" for key in value.keys() - shape.keys()]
    return unknown + [
        one for key in value.keys() & shape.keys() for one in problems(value[key], shape[key], f"{path}.{key}")
    ]


@EACH_JOB
def test_every_key_is_one_that_the_api_knows(job):
    assert problems(mpi_job(job, IMAGE), MPI_JOB) == []


def test_a_key_that_the_api_does_not_know_would_be_found():
    made = mpi_job(JOBS[0], IMAGE)
    made["spec"]["cleanPodPolicy"] = "Running"
    made["spec"]["slotsPerWorker"] = "8"
    assert len(problems(made, MPI_JOB)) == 2


@EACH_JOB
def test_values_are_those_that_the_api_enumerates(job):
    made = mpi_job(job, IMAGE)
    assert (made["apiVersion"], made["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
    assert made["spec"]["runPolicy"]["cleanPodPolicy"] in {"All", "Running", "None"}


@EACH_JOB
def test_names_leave_room_for_those_of_pods(job):
    name = mpi_job(job, IMAGE)["metadata"]["name"]
    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name)
    assert len(f"{name}-worker-1023") <= 63


def test_long_names_are_cut_and_stay_apart():
    spec = with_queues(
        "  - name: a-queue-with-a-long-name\n    compute_resources:\n"
        "      - {name: nodes-of-the-first-kind, instance_type: p5.48xlarge, nodes: 2}\n"
        "      - {name: nodes-of-the-other-kind, instance_type: p5.48xlarge, nodes: 2}"
    )
    jobs = [job for job in jobs_for(spec) if not job.then]
    names = {mpi_job(job, IMAGE)["metadata"]["name"] for job in jobs}
    assert len(names) == len(jobs)
    assert max(map(len, names)) == 45


def test_a_worker_has_all_gpus_and_efa_interfaces_of_its_node():
    job = next(job for job in JOBS if job.nodes == 4)
    spec = mpi_job(job, IMAGE)["spec"]
    worker = spec["mpiReplicaSpecs"]["Worker"]
    (container,) = worker["template"]["spec"]["containers"]
    assert (worker["replicas"], spec["slotsPerWorker"]) == (4, 8)
    assert container["resources"]["limits"] == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}


def test_the_launcher_runs_all_ranks_of_the_program_with_its_variables():
    job = next(job for job in JOBS if job.environment.get("NCCL_ALGO") == "Ring")
    command = mpi_job(job, IMAGE)["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"]
    assert command[command.index("-n") + 1] == "32"
    assert "NCCL_ALGO=Ring" in command
    assert command[-len(job.arguments) - 1 :] == ["/opt/nccl-tests/build/all_reduce_perf", *job.arguments]


def test_a_test_of_several_programs_is_refused_with_what_to_do():
    (job,) = [job for job in jobs_for(with_queue()) if job.then]
    with pytest.raises(InputError) as caught:
        mpi_job(job, IMAGE)
    assert caught.value.hint is not None
    assert "all_gather_perf" in caught.value.hint
