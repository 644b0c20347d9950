"""Training runs on Amazon EKS: a PyTorchJob of the training operator or a JobSet, and its programs as a ConfigMap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.catalog.kubernetes_addons import image
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.platforms.eks.rendering.job_pods import job_pod
from trainyard.platforms.eks.rendering.lustre_volumes import lustre_volumes
from trainyard.platforms.eks.rendering.manifests import documents, mounts, volumes
from trainyard.platforms.eks.training_job_kinds import JOB_SET
from trainyard.platforms.eks.training_scheduler import OnTrainingOperators
from trainyard.render.slots import Slot, fill_slots
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import Scheduler
from trainyard.training.job import (
    kubernetes_job,
    launch_of_run,
    planned,
    processes_on_node,
    programs,
    run_folder,
    stop_time,
    variables,
    watch_variables,
    words_of,
)
from trainyard.training.run import Run

_FOLDER = Path(__file__).parent / "rendering"
_FILES = {"PyTorchJob": "training_run.yaml", "JobSet": "training_job_set.yaml"}
_PROGRAMS = "/trainyard"
# https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/constants/constants.go (RestartsKey)
# https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
_OF_POD = {
    "NODE_RANK": "batch.kubernetes.io/job-completion-index",
    "JOBSET_RESTART_ATTEMPT": "jobset.sigs.k8s.io/restart-attempt",
}
# With underscores, which torch knows from before 2.0 on, whatever image the run has.
_TORCHRUN_FLAGS = (
    "--nnodes=$(NNODES)", "--node_rank=$(NODE_RANK)", "--nproc_per_node=$(GPUS_PER_NODE)",
    "--master_addr=$(MASTER_ADDR)", "--master_port=$(MASTER_PORT)",
)  # fmt: skip


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return the manifest of a run."""
    return {f"{run.name}.yaml": fill_slots(_native(_FILES[kubernetes_job(run, spec)]), _slots(run, spec))}


def job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:  # noqa: ARG001  the operator's version is ours
    """Return the job: its programs as a ConfigMap, and the PyTorchJob or JobSet."""
    (text,) = files(run, spec).values()
    return planned(run, spec, request={"documents": documents(text)})


def scheduler(spec: Spec, account: Account, *, ssh: str | None, kubectl: KubectlOf) -> OnTrainingOperators:  # noqa: ARG001  there is no host
    """Return the operators of a cluster."""
    return OnTrainingOperators(account, spec.name, kubectl)


def _slots(run: Run, spec: Spec) -> dict[str, Any]:
    launch = launch_of_run(run, spec)
    pod, shared, restarts = job_pod(launch), list(lustre_volumes(spec, Ids({}))), run.restarts
    programs_volume = {"name": "program", "configMap": {"name": run.name}}
    is_job_set = kubernetes_job(run, spec) == JOB_SET.kind
    words = words_of(run, _PROGRAMS)
    torchrun = ["torchrun", *(_TORCHRUN_FLAGS if is_job_set else ())]
    image_name = "pytorch-neuron" if launch.instance.accelerator == "neuron" else "pytorch"
    return {
        "config-map": run.name,
        "name": run.name,
        "programs": programs(run),
        "restarts": restarts.most,
        "limit-s": round(run.time_limit_h * 3600),
        "nodes": run.nodes,
        "processes": processes_on_node(run, launch),
        # With none at all, not even after a node has gone.
        "rules": Slot.KEEP if restarts.most else Slot.REMOVE,
        "restart-policy": "OnFailure" if restarts.most else "Never",
        "grace-s": round(restarts.before_end_min * 60),
        "node-selector": pod.node_selector,
        "tolerations": pod.tolerations,
        "pytorch-image": run.container or spec.eks.pytorch_image or image(image_name, spec.region),
        "command": list(words) if run.program.script else [*torchrun, *words],
        "folder": run.program.folder or Slot.REMOVE,
        "environment": list(_of_job_set(run, spec) if is_job_set else _named(_environment(run, spec))),
        "resources": pod.resources,
        "mounts": mounts(shared, {"name": "program", "mountPath": _PROGRAMS, "readOnly": True}),
        "volumes": volumes(pod, shared, programs_volume),
    }  # fmt: skip


def _environment(run: Run, spec: Spec) -> dict[str, str]:
    launch, stop = launch_of_run(run, spec), stop_time(run)
    ends = {} if stop is None else {"TRAINYARD_ENDS_AT": str(stop)}
    by_names = {"NNODES": str(run.nodes), "GPUS_PER_NODE": str(processes_on_node(run, launch))}
    return {
        "PYTHONPATH": _PROGRAMS,
        "TRAINYARD_PROGRESS": f"{run_folder(run)}/progress",
        "TRAINYARD_STOP": f"{run_folder(run)}/stop",
        **watch_variables(run),
        "TRAINYARD_JOB": run.name,
        **ends,
        **(by_names if run.program.script else {}),
        **variables(run, launch),
    }


def _named(values: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    return ({"name": name, "value": value} for name, value in values.items())


def _of_job_set(run: Run, spec: Spec) -> Iterator[dict[str, Any]]:
    """Yield the variables of a pod, with what says where the first one is, and its own place: nobody else tells it.

    The host of a pod is called JOBSET-JOB-INDEX: https://jobset.sigs.k8s.io/docs/concepts/
    """
    values = {
        "MASTER_ADDR": f"{run.name}-worker-0-0.{run.name}",
        "MASTER_PORT": "29500",
        "NNODES": str(run.nodes),
        "GPUS_PER_NODE": str(processes_on_node(run, launch_of_run(run, spec))),
        **_environment(run, spec),
    }
    yield from _named(values)
    for name, annotation in _OF_POD.items():
        if name not in values:
            yield {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{annotation}']"}}}


@cache
def _native(file: str) -> str:
    return (_FOLDER / file).read_text(encoding="utf-8")
