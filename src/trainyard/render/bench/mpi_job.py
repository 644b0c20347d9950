"""A bandwidth test as an MPIJob of Kubeflow's MPI Operator, v2beta1: a launcher that runs mpirun, and a worker a node.

https://github.com/kubeflow/mpi-operator/blob/master/deploy/v2beta1/mpi-operator.yaml
AWS's own, for its image of nccl-tests:
https://github.com/awslabs/awsome-distributed-ai/blob/main/micro-benchmarks/nccl-tests/kubernetes/nccl-tests-gb200.yaml
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from trainyard.catalog.instances import find
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.render.bench.job import BenchJob

_MPIRUN = "/opt/amazon/openmpi/bin/mpirun"
_PROGRAMS = "/opt/nccl-tests/build"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108  where the system has it, not a file of ours
# Pods are called after the job with -launcher-xxxxx and -worker-NNN behind it, and a label of DNS has 63 characters:
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
_LONGEST_NAME = 45


def mpi_job(job: BenchJob, image: str, namespace: str = "default") -> dict[str, Any]:
    """Return the MPIJob of a test that runs one program, with an image as Kubernetes names it.

    Raises InputError for a test of several programs: an MPIJob has one command, so each is a job of its own.
    """
    if job.then:
        hint = f"make a job of each of {', '.join(job.binaries)}"
        raise InputError("an MPIJob runs one program, and this test has several", where=job.id, hint=hint)
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": _name(job), "namespace": namespace, "annotations": _annotations(job)},
        "spec": {
            "slotsPerWorker": job.tasks_per_node,
            "runPolicy": {
                "cleanPodPolicy": "Running",
                "backoffLimit": 0,
                "activeDeadlineSeconds": job.time_limit_min * 60,
            },
            "mpiReplicaSpecs": {
                "Launcher": {"replicas": 1, "template": {"spec": _launcher(job, image)}},
                "Worker": {"replicas": job.nodes, "template": {"spec": _worker(job, image)}},
            },
        },
    }


def _name(job: BenchJob) -> str:
    name = job.id.replace("_", "-")
    if len(name) <= _LONGEST_NAME:
        return name
    mark = hashlib.sha256(job.id.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9]}-{mark}"


def _annotations(job: BenchJob) -> dict[str, str]:
    return {"trainyard/bench-job": job.id, "trainyard/why": job.why}


def _launcher(job: BenchJob, image: str) -> dict[str, Any]:
    return {
        "restartPolicy": "Never",
        "containers": [{"name": "launcher", "image": image, "command": _command(job)}],
    }


def _command(job: BenchJob) -> list[str]:
    passed = [word for name, value in job.environment.items() for word in ("-x", f"{name}={value}")]
    return [
        _MPIRUN, "--allow-run-as-root", "-n", str(job.ranks), "-N", str(job.tasks_per_node), "--bind-to", "none",
        "--mca", "pml", "^cm,ucx", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_exclude", "lo,docker0",
        "-x", "PATH", "-x", "LD_LIBRARY_PATH", *passed,
        f"{_PROGRAMS}/{job.binary}", *job.arguments,
    ]  # fmt: skip


def _worker(job: BenchJob, image: str) -> dict[str, Any]:
    """Return a pod with all GPUs and EFA interfaces of a node.

    https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
    """
    facts = find(job.instance_type)
    interfaces = (facts.efa_interfaces if facts is not None else None) or 0
    devices: dict[str, int] = {"nvidia.com/gpu": job.tasks_per_node * job.gpus_per_task}
    if interfaces:
        devices |= {"vpc.amazonaws.com/efa": interfaces}
    return {
        "nodeSelector": {"node.kubernetes.io/instance-type": job.instance_type},
        "containers": [
            {
                "name": "worker",
                "image": image,
                "resources": {"limits": devices, "requests": devices},
                "volumeMounts": [{"name": "shm", "mountPath": _SHARED_MEMORY}],
            }
        ],
        # NCCL shares memory between the ranks of a node:
        # https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html#shared-memory
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
    }
