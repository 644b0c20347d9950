"""A bandwidth test as an MPIJob of Kubeflow's MPI Operator, v2beta1: a launcher that runs mpirun, and a worker a node.

https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/apis/kubeflow/v2beta1/types.go
AWS's own: https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.render.bench.batch_job import variables
from trainyard.render.bench.job import BenchJob
from trainyard.render.job_pod import SHARED_MEMORY, JobPod

NAMESPACE = "default"
TEST = "trainyard/bench-job"
"""Annotation: the id of the test."""
SUBMISSION, RUN = "trainyard/bench-submission", "trainyard/bench-run"
"""Labels of what `bench submit` runs: the token of the submission, and the number of the run."""
SCRIPTS = "trainyard-bench"
"""The ConfigMap with the scripts that every job mounts."""
_FOLDER = "/trainyard-bench"
_HERE = Path(__file__).parent
# What a launcher and its workers run; the first is the launcher's own.
_FILES = ("kubernetes/run-mpi-job.sh", "assets/describe-node.sh", "assets/nccl-program.sh")
# Pods are called after the job with -launcher-xxxxx and -worker-NNN behind it, and a label of DNS has 63 characters:
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
_LONGEST_NAME = 45
_SSH_PORT = 22
# Images for GPUs ask for all of them, and the launcher needs none.
# https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html
_NO_GPU = {"NVIDIA_VISIBLE_DEVICES": "void"}


def mpi_job(job: BenchJob, image: str, pod: JobPod) -> dict[str, Any]:
    """Return the MPIJob of a test, with an image as Kubernetes names it and what a pod gets of a node."""
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": job_name(job), "namespace": NAMESPACE, "annotations": _annotations(job)},
        "spec": {
            "slotsPerWorker": job.tasks_per_node,
            # Before every worker's SSH server answers, mpirun would fail.
            "launcherCreationPolicy": "WaitForWorkersReady",
            "runPolicy": {
                "cleanPodPolicy": "Running",
                "backoffLimit": 0,
                "activeDeadlineSeconds": job.time_limit_min * 60,
            },
            "mpiReplicaSpecs": {
                "Launcher": _replicas(1, _launcher(job, image, pod)),
                "Worker": _replicas(job.nodes, _worker(image, pod)),
            },
        },
    }


def job_name(job: BenchJob) -> str:
    """Return what the MPIJob is called: as the test, cut where that is too long."""
    name = job.id.replace("_", "-")
    if len(name) <= _LONGEST_NAME:
        return name
    mark = hashlib.sha256(job.id.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9]}-{mark}"


def run_name(name: str, number: str) -> str:
    """Return what one run of an MPIJob of this name is called, so that it is never another's."""
    return f"{name[: _LONGEST_NAME - 1 - len(number)].rstrip('-')}-{number}"


def run_of(mpi_job: Mapping[str, Any], token: str, number: str) -> dict[str, Any]:
    """Return an MPIJob as one run of a submission: under a name of its own, and found by its labels."""
    metadata = mpi_job["metadata"]
    labels = {SUBMISSION: token, RUN: number}
    return {**mpi_job, "metadata": {**metadata, "name": run_name(metadata["name"], number), "labels": labels}}


@cache
def scripts_manifest() -> dict[str, Any]:
    """Return the scripts as a manifest, which the cluster has before the first job."""
    files = {name.rpartition("/")[2]: (_HERE / name).read_text(encoding="utf-8") for name in _FILES}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": SCRIPTS, "namespace": NAMESPACE},
        "data": files,
    }


def _annotations(job: BenchJob) -> dict[str, str]:
    control = {} if job.control_of is None else {"trainyard/control-of": job.control_of}
    return {TEST: job.id, "trainyard/title": job.title, "trainyard/why": job.why, **control}


def _replicas(count: int, pod: dict[str, Any]) -> dict[str, Any]:
    """Return pods that are started once.

    What stands in the pod itself is overwritten: by default with OnFailure for a launcher, and Kubernetes deletes a pod
    that has failed with that, and its log with it.
    https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/apis/kubeflow/v2beta1/constants.go
    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
    """
    return {"replicas": count, "restartPolicy": "Never", "template": {"spec": pod}}


def _launcher(job: BenchJob, image: str, pod: JobPod) -> dict[str, Any]:
    """Return the pod that starts the test. It runs on one of the nodes, which have the image, and takes no GPU."""
    environment = {**_NO_GPU, **variables(job), "TRAINYARD_NODES": str(job.nodes)}
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": pod.node_selector,
        "tolerations": pod.tolerations,
        "containers": [
            {
                "name": "launcher",
                "image": image,
                "command": ["bash", f"{_FOLDER}/run-mpi-job.sh"],
                "env": [{"name": name, "value": value} for name, value in environment.items()],
                "securityContext": {"allowPrivilegeEscalation": False},
                "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "4Gi"}},
                "volumeMounts": [_SCRIPTS_MOUNT],
            }
        ],
        "volumes": [_SCRIPTS_VOLUME],
    }


def _worker(image: str, pod: JobPod) -> dict[str, Any]:
    """Return a pod with all GPUs and EFA interfaces of a node, in which the operator starts an SSH server."""
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": pod.node_selector,
        "tolerations": pod.tolerations,
        "containers": [
            {
                "name": "worker",
                "image": image,
                "readinessProbe": {"tcpSocket": {"port": _SSH_PORT}, "periodSeconds": 2},
                # EFA's memory is locked, for which the limit of ordinary processes is too small.
                # https://github.com/awslabs/awsome-distributed-ai/issues/647
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"add": ["IPC_LOCK"]}},
                "resources": pod.resources,
                "volumeMounts": [_SCRIPTS_MOUNT, {"name": "shm", "mountPath": SHARED_MEMORY}],
            }
        ],
        "volumes": [_SCRIPTS_VOLUME, pod.shared_memory],
    }


_SCRIPTS_MOUNT = {"name": "scripts", "mountPath": _FOLDER, "readOnly": True}
_SCRIPTS_VOLUME = {"name": "scripts", "configMap": {"name": SCRIPTS}}
