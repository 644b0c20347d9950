"""What each kind of nodes of a cluster does when it starts: the steps of its role, and the settings that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from trainyard.bootstrap.steps import STEPS, BootstrapStep, Role
from trainyard.launch.capacity import capacity_target, named_reservations, taken_back_before_end
from trainyard.launch.instance import Hardware, common_hardware
from trainyard.launch.launch import compute_launches, cuda_architectures, has_ultraservers, queue_hardware
from trainyard.launch.list_prices import price_settings
from trainyard.launch.setup import checks_health, setup_of
from trainyard.monitoring.alertmanager_config import credential
from trainyard.monitoring.prometheus_config import runs_as_agent
from trainyard.render.cloudwatch_metrics import groups_of
from trainyard.render.collection import grafana_url, write_url
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue
from trainyard.spec.software import Setup

_ROLES: Mapping[Setup, Role] = {
    "gpu": "compute-gpu",
    "cpu": "compute-cpu",
    "neuron": "compute-neuron",
    "none": "compute-none",
}


class NodeKind(NamedTuple):
    """Nodes that come up alike: the head node, the login nodes, or those of a queue."""

    role: Role
    setup: Setup
    queue: Queue | None = None


def node_plan(spec: Spec, ids: Ids | None = None) -> dict[str, Any]:
    """Return what nodes read of it: for each kind of nodes its settings and its steps, in order.

    ``ids`` gives what only a deployment knows; without it, stand-ins are written.
    """
    ids = Ids({}) if ids is None else ids
    return {
        "schema": 1,
        "cluster": spec.name,
        "region": spec.region,
        "on_failure": spec.software.on_failure,
        "nodes": {
            name: {
                "settings": _settings(spec, kind, ids),
                "types": _settings_by_type(spec, kind),
                "steps": [_as_values(step) for step in steps_of(spec, kind)],
            }
            for name, kind in release_kinds(spec).items()
        },
    }


def node_kinds(spec: Spec) -> dict[str, NodeKind]:
    """Return the kinds of nodes by the names that nodes know themselves by."""
    setup = spec.software.setup
    queues = {f"queue/{queue.name}": _of_queue(spec, queue) for queue in spec.queues}
    login = {"login": NodeKind("login", setup)} if any(True for _ in spec.login_pools()) else {}
    return {"head": NodeKind("head", setup), **login, **queues}


def release_kinds(spec: Spec) -> dict[str, NodeKind]:
    """Return the kinds of all that run the release: nodes, where it is a cluster's, and the monitoring instance."""
    instance = {"monitoring": NodeKind("monitoring", "none")} if spec.has_monitoring_instance else {}
    return {**({} if spec.is_environment else node_kinds(spec)), **instance}


def steps_of(spec: Spec, kind: NodeKind) -> tuple[BootstrapStep, ...]:
    """Return the steps of a kind of nodes, in order."""
    return tuple(step for step in STEPS if kind.role in step.roles and _ASKED[step.name](spec, kind))


def _of_queue(spec: Spec, queue: Queue) -> NodeKind:
    setup = setup_of(spec, queue)
    return NodeKind(_ROLES[setup], setup, queue)


def _always(spec: Spec, kind: NodeKind) -> bool:
    del spec, kind
    return True


def _sets_up(_: Spec, kind: NodeKind) -> bool:
    return kind.setup != "none"


def _containers(spec: Spec, _: NodeKind) -> bool:
    return spec.software.containers


def _measures(spec: Spec, _: NodeKind) -> bool:
    return spec.monitoring.mode != "none"


def _writes_metrics(spec: Spec, kind: NodeKind) -> bool:
    """Return whether nodes measure anything for CloudWatch but what the agent measures."""
    return bool({*groups_of(spec, kind.role, kind.queue)} - {"system"})


def _has_fabric(spec: Spec, kind: NodeKind) -> bool:
    return kind.queue is not None and any(
        hardware.fabric != "none" for hardware in queue_hardware(spec, kind.queue).values()
    )


def _has_efa(spec: Spec, kind: NodeKind) -> bool:
    launches = () if kind.queue is None else compute_launches(spec, kind.queue)
    return any(instance.efa for launch in launches for instance in launch.instances)


def _has_shared(spec: Spec, _: NodeKind) -> bool:
    return shared_mount(spec) is not None


_ASKED: Mapping[str, Callable[[Spec, NodeKind], bool]] = {
    "packages": _sets_up,
    "imds": lambda spec, _: spec.iam.imds_for_root_only,
    "efa": _has_efa,
    "neuron": _always,
    "docker": _containers,
    "nvidia-toolkit": _containers,
    "enroot-pyxis": _containers,
    "fabric": _has_fabric,
    "shared-layout": _has_shared,
    "cloudwatch": lambda spec, _: spec.monitoring.logs,
    "node-package": _always,
    "node-exporter": _measures,
    "dcgm-exporter": _measures,
    "node-metrics": _measures,
    "cloudwatch-metrics": _writes_metrics,
    "prometheus": _measures,
    "data-volume": _always,
    "keeper": _always,
    "nccl": lambda spec, _: spec.software.nccl is not None,
    "alertmanager": _always,
    "grafana": _always,
    "alert-receivers": _always,
    "job-gate": _always,
    "imex": lambda spec, _: has_ultraservers(spec),
    "block-end": lambda spec, _: bool(_capacity_blocks(spec)),
    "images": lambda spec, _: bool(spec.software.container_images),
}


def _as_values(step: BootstrapStep) -> dict[str, Any]:
    return {
        "name": step.name,
        "script": step.script,
        "required": step.required,
        "network": step.network,
        "timeout_s": step.timeout_s,
        "deferred": step.deferred,
    }


def _settings(spec: Spec, kind: NodeKind, ids: Ids) -> dict[str, str]:
    software = spec.software
    settings = {
        "ROLE": kind.role,
        "QUEUE": "" if kind.queue is None else kind.queue.name,
        "SETUP": kind.setup,
        "CONTAINERS": str(int(software.containers)),
        "MONITORING": spec.monitoring.mode,
        **_collection_settings(spec, kind, ids),
        "CAPACITY_BLOCKS": _capacity_blocks(spec) if kind.role == "head" else "",
        "GRAFANA_URL": f"{grafana_url(spec, ids)}/" if kind.role == "monitoring" else "",
        "DATA_VOLUME": ids.of("MonitoringVolumeId") if kind.role == "monitoring" else "",
        "ALERT_SECRETS": _alert_secrets(spec) if kind.role == "monitoring" else "",
        "SLURM_NAMES": spec.monitoring.slurm_names,
        "NCCL_RAS": str(int(spec.monitoring.nccl_ras and kind.setup == "gpu")),
        "NCCL_INSPECTOR": str(int(spec.monitoring.nccl_inspector and kind.setup == "gpu")),
        "CLOUDWATCH_METRICS": " ".join(groups_of(spec, kind.role, kind.queue)),
        "EFA_VERSION": software.efa_version or "",
        "SHARED": shared_mount(spec) or "",
        **_nccl_settings(spec),
        "CONTAINER_IMAGES": " ".join(software.container_images),
        "ON_FAILURE": software.on_failure,
        "HEALTH_CHECKS": str(int(kind.queue is not None and checks_health(spec, kind.queue))),
        **_hardware_settings(_common_hardware(spec, kind)),
    }
    return _named(settings)


def _collection_settings(spec: Spec, kind: NodeKind, ids: Ids) -> dict[str, str]:
    """Return how the head node collects metrics, and where it sends them; other nodes do neither."""
    url = write_url(spec, ids) if kind.role == "head" else None
    if url is None:
        names = ("METRICS_WRITE_URL", "PROMETHEUS", "CAPACITY_RESERVATIONS", "LIST_PRICES", "BUDGET_USD_MONTH")
        return dict.fromkeys(names, "")
    budget = spec.monitoring.budget_usd_month
    return {
        "METRICS_WRITE_URL": url,
        "PROMETHEUS": "agent" if runs_as_agent(spec) else "server",
        "CAPACITY_RESERVATIONS": " ".join(named_reservations(spec)),
        "LIST_PRICES": price_settings(spec),
        "BUDGET_USD_MONTH": "" if budget is None else str(budget),
    }


def _capacity_blocks(spec: Spec) -> str:
    """Return each Capacity Block as ID:QUEUE:COMPUTE-RESOURCE:MINUTES, which its instances are gone before its end."""
    blocks = []
    for group in spec.node_groups():
        block = capacity_target(spec, group.capacity).capacity_block
        if block is not None:
            minutes = max(taken_back_before_end(name) for name in group.instance_types).total_seconds() / 60
            blocks.append(f"{block}:{group.queue.name}:{group.name}:{minutes:.0f}")
    return " ".join(blocks)


def _alert_secrets(spec: Spec) -> str:
    """Return each secret of a receiver of alerts as NAME=ARN, by the name of the file that Alertmanager reads."""
    receivers = enumerate(spec.monitoring.alert_receivers, 1)
    return " ".join(f"{credential(number, receiver)}={receiver.secret}" for number, receiver in receivers)


def _settings_by_type(spec: Spec, kind: NodeKind) -> dict[str, dict[str, str]]:
    """Return what differs between the instance types of a queue: a node takes what its own type has."""
    if kind.queue is None:
        return {}
    return {name: _named(_hardware_settings(hardware)) for name, hardware in queue_hardware(spec, kind.queue).items()}


def _named(settings: Mapping[str, str]) -> dict[str, str]:
    return {f"TRAINYARD_{name}": value for name, value in settings.items()}


def _common_hardware(spec: Spec, kind: NodeKind) -> Hardware:
    return Hardware(0, 0, "none") if kind.queue is None else common_hardware(queue_hardware(spec, kind.queue).values())


def _nccl_settings(spec: Spec) -> dict[str, str]:
    nccl = spec.software.nccl
    if nccl is None:
        return dict.fromkeys(("NCCL_VERSION", "NCCL_TESTS_VERSION", "NCCL_OFI_VERSION", "CUDA_ARCHITECTURES"), "")
    return {
        "NCCL_VERSION": nccl.version,
        "NCCL_TESTS_VERSION": nccl.tests_version,
        "NCCL_OFI_VERSION": nccl.ofi_version or "",
        "CUDA_ARCHITECTURES": " ".join(cuda_architectures(spec)),
    }


def _hardware_settings(hardware: Hardware) -> dict[str, str]:
    return {
        "EFA_INTERFACES": "" if hardware.efa_interfaces is None else str(hardware.efa_interfaces),
        "GPUS": "" if hardware.gpus is None else str(hardware.gpus),
        "FABRIC": hardware.fabric,
    }


def shared_mount(spec: Spec) -> str | None:
    """Return where nodes keep what is made once for all: where NCCL is to be, or else on the first FSx for Lustre."""
    if spec.software.nccl is not None:
        return spec.software.nccl.mount
    return next((file_system.mount for file_system in spec.file_systems if file_system.kind == "lustre"), None)
