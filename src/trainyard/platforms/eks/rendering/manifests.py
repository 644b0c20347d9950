"""The manifests of a cluster: the native files of manifests/ that a spec needs, with what follows it in their slots.

They are applied with `kubectl apply --server-side --force-conflicts -f manifests/`, in the order of their names: what
eksctl installs by itself becomes ours, and trainyard-node.pyz is too long for an apply by the client. Jobs lie in
examples/, which that leaves alone.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard.catalog.kubernetes_addons import image, image_names
from trainyard.document.write import yaml_text
from trainyard.launch.instance import Instance
from trainyard.launch.launch import Launch, compute_launches
from trainyard.launch.list_prices import price_settings
from trainyard.platforms.eks.rendering.job_pods import INSTANCE_TYPE, job_pod
from trainyard.platforms.eks.rendering.lustre_volumes import LustreVolume, lustre_volumes
from trainyard.platforms.eks.rendering.monitoring_slots import digest, monitoring_slots
from trainyard.platforms.eks.rendering.names import QUEUE
from trainyard.render.bench.mpi_job import scripts_manifest
from trainyard.render.bench.plan import jobs_for
from trainyard.render.job_pod import EFA_INTERFACES, GPUS, SHARED_MEMORY, JobPod
from trainyard.render.slots import Slot, fill_slots
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

FOLDER = Path(__file__).with_name("manifests")
NODE_FILES = "node-files.yaml"
"""The file that holds trainyard-node.pyz. It is the same in every bundle."""
EXAMPLES = "examples/"
"""What begins the names of jobs, which nobody wants to start by installing a cluster."""
_SEPARATOR = "---\n"
_SETUPS = {"nvidia": "gpu", "neuron": "neuron", None: "cpu"}
_FOLDER = Path(__file__).parent
_PROGRAM = "train.py"
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/frameworks/torch/torch-neuronx/setup-trn1-multi-node-execution.html
_NEURON_OVER_EFA = {"FI_PROVIDER": "efa", "FI_EFA_USE_DEVICE_RDMA": "1", "FI_EFA_FORK_SAFE": "1"}


def manifest_texts(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the files by their names below manifests/, with their comments."""
    return {
        **_device_plugins(spec),
        **_volumes(spec, ids),
        **_operators(spec),
        **_bench_scripts(spec),
        **_of_nodes(spec),
        **_monitoring(spec, ids),
        **_examples(spec, ids),
    }


def manifests(spec: Spec, ids: Ids) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of each file, by their names below manifests/."""
    return {name: documents(text) for name, text in manifest_texts(spec, ids).items()}


def documents(text: str) -> list[dict[str, Any]]:
    """Return the documents of a file."""
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


@cache
def native(name: str) -> str:
    """Return a file as it lies in the package, with its slots."""
    return (FOLDER / name).read_text(encoding="utf-8")


def _file(spec: Spec, name: str, slots: Mapping[str, Any] | None = None, of: str | None = None) -> str:
    """Return a file with its slots filled; every image has one."""
    images = {name: image(name, spec.region) for name in image_names()}
    return fill_slots(native(of or name), {**images, **(slots or {})})


def _device_plugins(spec: Spec) -> dict[str, str]:
    launches = compute_launches(spec)
    types = {
        "nvidia-device-plugin.yaml": [launch for launch in launches if launch.instance.accelerator == "nvidia"],
        "neuron-device-plugin.yaml": [launch for launch in launches if launch.instance.accelerator == "neuron"],
        "efa-device-plugin.yaml": [launch for launch in launches if any(instance.efa for instance in launch.instances)],
    }
    neuron = {"privileged": True, "runAsUser": 0, "allowPrivilegeEscalation": True, "runAsNonRoot": False}
    efa = neuron if types["neuron-device-plugin.yaml"] else Slot.KEEP
    return {
        name: _file(spec, name, {"instance-types": _types(chosen), "efa-security-context": efa})
        for name, chosen in types.items()
        if chosen
    }


def _types(launches: list[Launch]) -> list[str]:
    return sorted({name for launch in launches for name in launch.instance_types})


def _volumes(spec: Spec, ids: Ids) -> dict[str, str]:
    slots = [
        {
            "volume-name": lustre_volume.name,
            "claim-name": lustre_volume.name,
            "size": f"{lustre_volume.size_gib}Gi",
            "file-system": lustre_volume.id,
            "dns-name": lustre_volume.dns_name,
            "mount-name": lustre_volume.mount_name,
        }
        for lustre_volume in lustre_volumes(spec, ids)
    ]
    if not slots:
        return {}
    volumes = _SEPARATOR.join(_file(spec, "fsx-volumes.yaml", slot) for slot in slots)
    return {"fsx-csi-driver.yaml": _file(spec, "fsx-csi-driver.yaml"), "fsx-volumes.yaml": volumes}


def _operators(spec: Spec) -> dict[str, str]:
    return {f"{name}.yaml": _file(spec, f"{name}.yaml") for name in sorted(spec.eks.operators)}


def _bench_scripts(spec: Spec) -> dict[str, str]:
    """Return what the bandwidth tests of bench/ mount, nothing where there are none."""
    if "mpi-operator" not in spec.eks.operators or not jobs_for(spec):
        return {}
    return {"bench-scripts.yaml": yaml_text(scripts_manifest(), blocks=True)}


def _of_nodes(spec: Spec) -> dict[str, str]:
    content = trainyard_node_pyz()
    package = f"trainyard-node-{hashlib.sha256(content).hexdigest()[:16]}"
    held = {"package-name": package, "package": {"trainyard-node.pyz": b64encode(content).decode()}}
    kinds = {
        (launch.queue_name, instance.name): (launch.nodes.queue, instance)
        for launch in compute_launches(spec)
        for instance in launch.instances
    }
    health = [
        _file(spec, "node-health.yaml", {"package-name": package, **_health_slots(spec, queue, instance)})
        for queue, instance in kinds.values()
    ]
    return {NODE_FILES: _file(spec, NODE_FILES, held), "node-health.yaml": _SEPARATOR.join(health)}


def _health_slots(spec: Spec, queue: Queue, instance: Instance) -> dict[str, Any]:
    settings = _node_settings(spec, queue, instance)
    return {
        "name": f"node-health-{queue.name}-{instance.name.replace('.', '-')}",
        "settings": {"node.env": settings},
        "settings-digest": {"trainyard/settings": digest(settings)},
        "node-selector": {QUEUE: queue.name, INSTANCE_TYPE: instance.name},
    }


def _node_settings(spec: Spec, queue: Queue, instance: Instance) -> str:
    """Return what trainyard-node reads of its node, by which it sees what is missing. What is unknown is left empty.

    The text of node.env, in the form of src/trainyard_node/node_env.py.
    """
    efa, gpus = instance.efa_interfaces, instance.gpus
    settings = {
        "CLUSTER": spec.name,
        "REGION": spec.region,
        "ROLE": f"compute-{queue.name}",
        "QUEUE": queue.name,
        "INSTANCE_TYPE": instance.name,
        "SETUP": _SETUPS[instance.accelerator],
        "MONITORING": spec.monitoring.mode,
        # Each tells its own, as there is no head node that could for all.
        "LIST_PRICES": "" if spec.monitoring.mode == "none" else price_settings(spec, queue.name, instance.name),
        "EFA_INTERFACES": "" if efa is None else str(efa),
        "GPUS": "" if gpus is None else str(gpus),
        "FABRIC": instance.fabric,
        # Pods mount the shared file systems, and not the node.
        "SHARED": "",
    }
    return "".join(f"TRAINYARD_{name}='{value}'\n" for name, value in settings.items())


def _monitoring(spec: Spec, ids: Ids) -> dict[str, str]:
    return {name: _file(spec, name, slots) for name, slots in monitoring_slots(spec, ids).items()}


def _examples(spec: Spec, ids: Ids) -> dict[str, str]:
    if "training-operator" not in spec.eks.operators:
        return {}
    launches = [launch for launch in compute_launches(spec) if launch.instance.accelerator is not None]
    first = {launch.queue_name: launch for launch in reversed(launches)}
    return {
        f"{EXAMPLES}pytorch-job-{queue}.yaml": _file(spec, "pytorch-job.yaml", pytorch_job_slots(spec, ids, launch))
        for queue, launch in reversed(first.items())
    }


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
    mounts_ = [{"name": lustre_volume.name, "mountPath": lustre_volume.mount} for lustre_volume in shared]
    return [*more, {"name": "shm", "mountPath": SHARED_MEMORY}, *mounts_]


def volumes(pod: JobPod, shared: list[LustreVolume], *more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the volumes of the same."""
    claims = [{"name": volume.name, "persistentVolumeClaim": {"claimName": volume.name}} for volume in shared]
    return [*more, pod.shared_memory, *claims]


@cache
def program() -> str:
    """Return the text of the program that the job runs."""
    return (_FOLDER / "programs" / "example_training.py").read_text(encoding="utf-8")


def _environment(pod: JobPod) -> dict[str, str]:
    if GPUS in pod.devices:
        return {"NCCL_DEBUG": "INFO"}
    return _NEURON_OVER_EFA if EFA_INTERFACES in pod.devices else {}
