"""An example of a PyTorchJob over the nodes that a queue has at first, as slots of manifests/pytorch-job.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from trainyard.catalog.kubernetes_addons import image
from trainyard.launch.launch import Launch
from trainyard.platforms.eks.rendering.job_pods import job_pod
from trainyard.platforms.eks.rendering.lustre_volumes import LustreVolume, lustre_volumes
from trainyard.render.job_pod import EFA_INTERFACES, GPUS, SHARED_MEMORY, JobPod
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_FOLDER = Path(__file__).parent
_PROGRAM = "train.py"
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/setup-trn1-multi-node-execution.html
_NEURON_OVER_EFA = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", "FI_EFA_FORK_SAFE": "1"}


def pytorch_job_slots(spec: Spec, ids: Ids, launch: Launch) -> dict[str, Any]:
    """Return what follows the nodes of a group, which have accelerators."""
    pod, name, shared = job_pod(launch), f"example-{launch.queue_name}", list(lustre_volumes(spec, ids))
    image_name = "pytorch-neuron" if launch.instance.accelerator == "neuron" else "pytorch"
    folder = [f"{lustre_volume.mount}/{name}" for lustre_volume in shared[:1]]
    return {
        "name": name,
        "program": {_PROGRAM: program()},
        # Nothing starts nodes for a job that waits.
        "nodes": launch.first_nodes or launch.max_nodes,
        "processes": launch.instance.ranks,
        "node-selector": pod.node_selector,
        "tolerations": pod.tolerations,
        "pytorch-image": spec.eks.pytorch_image or image(image_name, spec.region),
        "command": ["torchrun", f"/program/{_PROGRAM}", *folder],
        "environment": [{"name": key, "value": value} for key, value in _environment(pod).items()],
        "resources": pod.resources,
        "mounts": mounts(shared, {"name": "program", "mountPath": "/program", "readOnly": True}),
        "volumes": volumes(pod, shared, {"name": "program", "configMap": {"name": name}}),
    }


def mounts(shared: list[LustreVolume], *more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return where a container finds shared memory and the shared file systems, after what else it has."""
    found = [{"name": lustre_volume.name, "mountPath": lustre_volume.mount} for lustre_volume in shared]
    return [*more, {"name": "shm", "mountPath": SHARED_MEMORY}, *found]


def volumes(pod: JobPod, shared: list[LustreVolume], *more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the volumes of the same."""
    claims = [{"name": one.name, "persistentVolumeClaim": {"claimName": one.name}} for one in shared]
    return [*more, pod.shared_memory, *claims]


@cache
def program() -> str:
    """Return the text of the program that the job runs."""
    return (_FOLDER / "programs" / "example_training.py").read_text(encoding="utf-8")


def _environment(pod: JobPod) -> dict[str, str]:
    if GPUS in pod.devices:
        return {"NCCL_DEBUG": "INFO"}
    return _NEURON_OVER_EFA if EFA_INTERFACES in pod.devices else {}
