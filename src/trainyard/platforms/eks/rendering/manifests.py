"""The manifests of a cluster: the native files of manifests/ that a spec needs, with what follows it in their slots.

They are applied with `kubectl apply --server-side --force-conflicts -f manifests/`, in the order of their names: what
eksctl installs by itself becomes ours, and trainyard-node.pyz is too long for an apply by the client. Jobs lie in
examples/, which that leaves alone.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard.catalog.efa import uses_efa
from trainyard.catalog.kubernetes_addons import image, image_names
from trainyard.document.write import yaml_text
from trainyard.platforms.eks.rendering.dcgm_counters import dcgm_counters
from trainyard.platforms.eks.rendering.job_pods import INSTANCE_TYPE
from trainyard.platforms.eks.rendering.lustre_volumes import lustre_volumes
from trainyard.platforms.eks.rendering.names import PROMETHEUS, QUEUE, accelerator
from trainyard.platforms.eks.rendering.node_settings import node_settings
from trainyard.platforms.eks.rendering.prometheus_memory import agent_resources
from trainyard.platforms.eks.rendering.pytorch_job import pytorch_job_slots
from trainyard.render.bench.mpi_job import scripts_manifest
from trainyard.render.bench.plan import jobs_for
from trainyard.render.collection import agent_document
from trainyard.render.slots import Slot, filled
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

FOLDER = Path(__file__).with_name("manifests")
NODE_FILES = "node-files.yaml"
"""The file that holds trainyard-node.pyz. It is the same in every bundle."""
EXAMPLES = "examples/"
"""What begins the names of jobs, which nobody wants to start by installing a cluster."""
_SEPARATOR = "---\n"
# Values of ConfigMaps together: https://kubernetes.io/docs/concepts/configuration/configmap/
CONFIG_MAP_BYTES = 2**20


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
    images = {one: image(one, spec.region) for one in image_names()}
    return filled(native(of or name), {**images, **(slots or {})})


def _device_plugins(spec: Spec) -> dict[str, str]:
    groups = list(spec.node_groups())
    types = {
        "nvidia-device-plugin.yaml": [one for one in groups if accelerator(one) == "nvidia"],
        "neuron-device-plugin.yaml": [one for one in groups if accelerator(one) == "neuron"],
        "efa-device-plugin.yaml": [one for one in groups if _has_efa(one)],
    }
    neuron = {"privileged": True, "runAsUser": 0, "allowPrivilegeEscalation": True, "runAsNonRoot": False}
    efa = neuron if types["neuron-device-plugin.yaml"] else Slot.KEEP
    return {
        name: _file(spec, name, {"instance-types": _types(chosen), "efa-security-context": efa})
        for name, chosen in types.items()
        if chosen
    }


def _has_efa(group: NodeGroup) -> bool:
    return any(uses_efa(name, group.efa) for name in group.instance_types)


def _types(groups: list[NodeGroup]) -> list[str]:
    return sorted({name for group in groups for name in group.instance_types})


def _volumes(spec: Spec, ids: Ids) -> dict[str, str]:
    slots = [
        {
            "volume-name": one.name,
            "claim-name": one.name,
            "size": f"{one.size_gib}Gi",
            "file-system": one.id,
            "dns-name": one.dns_name,
            "mount-name": one.mount_name,
        }
        for one in lustre_volumes(spec, ids)
    ]
    if not slots:
        return {}
    volumes = _SEPARATOR.join(_file(spec, "fsx-volumes.yaml", one) for one in slots)
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
    kinds = dict.fromkeys((group.queue.name, name) for group in spec.node_groups() for name in group.instance_types)
    groups = {(group.queue.name, name): group for group in spec.node_groups() for name in group.instance_types}
    health = [
        _file(spec, "node-health.yaml", {"package-name": package, **_health_slots(spec, groups[kind], kind[1])})
        for kind in kinds
    ]
    return {NODE_FILES: _file(spec, NODE_FILES, held), "node-health.yaml": _SEPARATOR.join(health)}


def _health_slots(spec: Spec, group: NodeGroup, instance_type: str) -> dict[str, Any]:
    settings = node_settings(spec, group, instance_type)
    return {
        "name": f"node-health-{group.queue.name}-{instance_type.replace('.', '-')}",
        "settings": {"node.env": settings},
        "settings-digest": {"trainyard/settings": _digest(settings)},
        "node-selector": {QUEUE: group.queue.name, INSTANCE_TYPE: instance_type},
    }


def _monitoring(spec: Spec, ids: Ids) -> dict[str, str]:
    config = agent_document(spec, ids)
    if config is None:
        return {}
    where = {"namespace": PROMETHEUS.namespace, "service-account": PROMETHEUS.name}
    text = yaml_text(config)
    slots = {
        **where,
        "config": {"prometheus.yml": text},
        "config-digest": {"trainyard/config": _digest(text)},
        "agent-resources": agent_resources(spec),
    }
    files: dict[str, Mapping[str, Any]] = {
        "00-monitoring-namespace.yaml": where,
        "prometheus-agent.yaml": slots,
        "node-exporter.yaml": where,
    }
    if (counters := dcgm_counters(spec)) is not None:
        told = {"counters": {"counters.csv": counters}, "counters-digest": {"trainyard/counters": _digest(counters)}}
        files["dcgm-exporter.yaml"] = {**where, **told}
    return {name: _file(spec, name, values) for name, values in files.items()}


def _examples(spec: Spec, ids: Ids) -> dict[str, str]:
    if "training-operator" not in spec.eks.operators:
        return {}
    groups: Iterator[NodeGroup] = (one for one in spec.node_groups() if accelerator(one) is not None)
    first = {group.queue.name: group for group in reversed(list(groups))}
    return {
        f"{EXAMPLES}pytorch-job-{group.queue.name}.yaml": _file(
            spec, "pytorch-job.yaml", pytorch_job_slots(spec, ids, group)
        )
        for group in reversed(first.values())
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
