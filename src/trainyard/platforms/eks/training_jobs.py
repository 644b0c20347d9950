"""Training runs on Amazon EKS: a PyTorchJob of the training operator, and its programs as a ConfigMap."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from trainyard.catalog.kubernetes_addons import image
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.platforms.eks.rendering.job_pods import job_pod
from trainyard.platforms.eks.rendering.lustre_volumes import lustre_volumes
from trainyard.platforms.eks.rendering.manifests import documents, mounts, volumes
from trainyard.platforms.eks.training_operator import OnTrainingOperator
from trainyard.render.slots import Slot, fill_slots
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import Scheduler
from trainyard.training.job import (
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

_FILE = Path(__file__).parent / "rendering" / "training_run.yaml"
_PROGRAMS = "/trainyard"


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return the manifest of a run."""
    return {f"{run.name}.yaml": fill_slots(_native(), _slots(run, spec))}


def job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:  # noqa: ARG001  the operator's version is ours
    """Return the job: its programs as a ConfigMap, and the PyTorchJob."""
    (text,) = files(run, spec).values()
    return planned(run, spec, request={"documents": documents(text)})


def scheduler(spec: Spec, account: Account, *, ssh: str | None, kubectl: KubectlOf) -> OnTrainingOperator:  # noqa: ARG001  there is no host
    """Return the training operator of a cluster."""
    return OnTrainingOperator(account, spec.name, kubectl)


def _slots(run: Run, spec: Spec) -> dict[str, Any]:
    launch = launch_of_run(run, spec)
    pod, shared, restarts = job_pod(launch), list(lustre_volumes(spec, Ids({}))), run.restarts
    programs_volume = {"name": "program", "configMap": {"name": run.name}}
    words = words_of(run, _PROGRAMS)
    image_name = "pytorch-neuron" if launch.instance.accelerator == "neuron" else "pytorch"
    return {
        "config-map": run.name,
        "name": run.name,
        "programs": programs(run),
        "restarts": restarts.most,
        "limit-s": round(run.time_limit_h * 3600),
        "nodes": run.nodes,
        "processes": processes_on_node(run, launch),
        "restart-policy": "OnFailure" if restarts.most else "Never",
        "grace-s": round(restarts.before_end_min * 60),
        "node-selector": pod.node_selector,
        "tolerations": pod.tolerations,
        "pytorch-image": run.container or spec.eks.pytorch_image or image(image_name, spec.region),
        "command": list(words) if run.program.script else ["torchrun", *words],
        "folder": run.program.folder or Slot.REMOVE,
        "environment": [{"name": name, "value": value} for name, value in _environment(run, spec).items()],
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


@cache
def _native() -> str:
    return _FILE.read_text(encoding="utf-8")
