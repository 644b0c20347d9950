"""Scheduling: https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html."""

from __future__ import annotations

from typing import Any

from trainyard.catalog.instances import slurm_topology
from trainyard.launch.capacity import CapacityTarget
from trainyard.launch.launch import Launch, compute_launches, has_ultraservers, jobs_take_whole_nodes
from trainyard.launch.setup import checks_health
from trainyard.platforms.parallelcluster.rendering.shared_storage import root_volume
from trainyard.render.assets import assets_folder
from trainyard.render.networking import proxy, queue_subnets, security_groups
from trainyard.render.policies import compute_iam
from trainyard.render.reservation_groups import group_arn
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions, Script
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue
from trainyard.spec.slurm import Accounting, Slurm

# Reservations are consumed by on-demand launches.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-odcr-v3.html
_CAPACITY_TYPES = {"spot": "SPOT", "capacity_block": "CAPACITY_BLOCK"}
# Settings of slurm.conf that describe processors: https://slurm.schedmd.com/slurm.conf.html#SECTION_NODE-CONFIGURATION
_PROCESSORS = frozenset({"boards", "sockets", "socketsperboard", "corespersocket", "threadspercore"})


def scheduling(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the scheduler and its queues."""
    return {
        "Scheduler": "slurm",
        "SlurmSettings": slurm_settings(spec),
        "SlurmQueues": [_queue(spec, queue, ids) for queue in spec.queues],
    }


def _queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    launches = compute_launches(spec, queue)
    several_subnets = len(queue_subnets(spec, queue, ids)) > 1
    return {
        "Name": queue.name,
        "CapacityType": _CAPACITY_TYPES.get(launches[0].capacity.kind, "ONDEMAND"),
        **({} if queue.allocation_strategy is None else {"AllocationStrategy": queue.allocation_strategy}),
        **({} if queue.ami is None else {"Image": {"CustomAmi": queue.ami}}),
        "Networking": _networking(spec, queue, ids),
        "ComputeSettings": {
            "LocalStorage": {**root_volume(queue.root_volume), "EphemeralVolume": {"MountDir": spec.scratch.mount}}
        },
        "JobExclusiveAllocation": jobs_take_whole_nodes(spec, queue),
        **({"CustomSlurmSettings": queue.partition_settings} if queue.partition_settings else {}),
        **custom_actions(spec, queue.custom_actions, ids),
        "Iam": compute_iam(spec, queue.custom_actions, ids),
        "ComputeResources": [compute_resource(launch, ids, any_type=several_subnets) for launch in launches],
    }


def _networking(spec: Spec, queue: Queue, ids: Ids) -> dict[str, Any]:
    public = {"AssignPublicIp": True} if queue.subnet == "public" else {}
    return {
        "SubnetIds": queue_subnets(spec, queue, ids),
        **public,
        **security_groups(spec, "Compute", ids),
        **proxy(spec),
    }


def slurm_settings(spec: Spec) -> dict[str, Any]:
    """Return the scheduler's own settings."""
    slurm = spec.parallelcluster.slurm
    own_lines = [{key: value} for key, value in {**_of_ultraservers(spec), **_lines(slurm), **_of_health(spec)}.items()]
    return {
        "ScaledownIdletime": slurm.scaledown_idle_minutes,
        "QueueUpdateStrategy": slurm.queue_update_strategy,
        **_dns(spec),
        **({"EnableMemoryBasedScheduling": True} if slurm.memory_scheduling else {}),
        **({"CustomSlurmSettings": own_lines} if own_lines else {}),
        **({} if slurm.munge_secret is None else {"MungeKeySecretArn": slurm.munge_secret}),
        **({} if slurm.accounting is None else _accounting(slurm.accounting)),
    }


def _lines(slurm: Slurm) -> dict[str, str | int]:
    """Return what goes into slurm.conf as it is. https://slurm.schedmd.com/slurm.conf.html."""
    times = {
        "KillWait": slurm.kill_wait_s,
        "SlurmdTimeout": slurm.slurmd_timeout_s,
        "UnkillableStepTimeout": slurm.unkillable_step_timeout_s,
    }
    return {**{key: seconds for key, seconds in times.items() if seconds is not None}, **slurm.settings}


def _of_ultraservers(spec: Spec) -> dict[str, str | int]:
    """Return what lets all nodes of a job come into one IMEX domain before it starts; the user's own choice stands.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/support-nvidia-imex-p6e-gb200-instance.html
    """
    settings: dict[str, str | int] = {"PrologFlags": "Alloc,NoHold", "MessageTimeout": 240}
    return _unless_chosen(spec, settings) if has_ultraservers(spec) else {}


def _of_health(spec: Spec) -> dict[str, str | int]:
    """Return what lets Slurm ask nodes for their health, and spare dynamic nodes that are held; own choices stand.

    Slurm powers an idle node down unless its state is among SuspendExcStates: RESERVED is one that a reservation keeps.
    https://slurm.schedmd.com/slurm.conf.html#OPT_HealthCheckProgram and #OPT_SuspendExcStates
    """
    asked = checks_health(spec)
    program = "/opt/trainyard/current/health/slurm-health-check.sh"
    return _unless_chosen(
        spec,
        {
            **({"HealthCheckProgram": program, "HealthCheckInterval": 300} if asked else {}),
            **({"SuspendExcStates": "RESERVED"} if asked or spec.software.on_failure == "hold" else {}),
        },
    )


def _unless_chosen(spec: Spec, settings: dict[str, str | int]) -> dict[str, str | int]:
    chosen = {key.lower() for key in spec.parallelcluster.slurm.settings}
    return {key: value for key, value in settings.items() if key.lower() not in chosen}


def _dns(spec: Spec) -> dict[str, Any]:
    """Return how nodes find each other where Route 53 cannot be reached.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    """
    if spec.network.internet == "nat":
        return {}
    return {"Dns": {"DisableManagedDns": True, "UseEc2Hostnames": True}}


def _accounting(accounting: Accounting) -> dict[str, Any]:
    if accounting.slurmdbd is not None:
        return {"ExternalSlurmdbd": {"Host": accounting.slurmdbd.host, "Port": accounting.slurmdbd.port}}
    database = accounting.database
    assert database is not None  # noqa: S101  one of the two is written
    return {
        "Database": {
            "Uri": f"{database.host}:{database.port}",
            "UserName": database.user,
            "PasswordSecretArn": database.password_secret,
            **({} if database.name is None else {"DatabaseName": database.name}),
        }
    }


def compute_resource(launch: Launch, ids: Ids, *, any_type: bool = False) -> dict[str, Any]:
    """Return one compute resource, with ``any_type`` in the form for several types: only that may span subnets."""
    group = launch.nodes
    gpudirect = {} if group.settings.gpudirect is None else {"GdrSupport": group.settings.gpudirect}
    return {
        "Name": group.name,
        **_instance_types(group, any_type=any_type),
        "MinCount": launch.min_nodes,
        "MaxCount": launch.max_nodes,
        "Efa": {"Enabled": launch.instance.efa, **gpudirect},
        "Networking": {"PlacementGroup": {"Enabled": launch.placement_group}},
        **_reservation(launch.capacity, ids),
        **_optional(group),
    }


def _instance_types(group: NodeGroup, *, any_type: bool) -> dict[str, Any]:
    if any_type or group.settings.instance_types is not None:
        return {"Instances": [{"InstanceType": name} for name in group.instance_types]}
    return {"InstanceType": group.instance_type}


def _reservation(target: CapacityTarget, ids: Ids) -> dict[str, Any]:
    if not target.is_reserved:
        return {}
    arn = group_arn(target, ids)
    key, value = (
        ("CapacityReservationId", target.reservation) if arn is None else ("CapacityReservationResourceGroupArn", arn)
    )
    return {"CapacityReservationTarget": {key: value}}


def _optional(group: NodeGroup) -> dict[str, Any]:
    """Return what ParallelCluster decides itself unless it is told."""
    nodes = group.settings
    health = None if nodes.gpu_health_check is None else {"Gpu": {"Enabled": nodes.gpu_health_check}}
    settings = {
        "SpotPrice": nodes.spot_price_usd_per_hour,
        "DisableSimultaneousMultithreading": None if nodes.multithreading else True,
        "StaticNodePriority": nodes.static_priority,
        "DynamicNodePriority": nodes.dynamic_priority,
        "HealthChecks": health,
        "SchedulableMemory": nodes.schedulable_memory_mib,
        "CustomSlurmSettings": {**_topology(group), **nodes.slurm_settings} or None,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _topology(group: NodeGroup) -> dict[str, int]:
    """Return the sockets and cores of a type where they are known and the user says nothing of processors.

    Left alone, ParallelCluster lets Slurm take every CPU for a socket, and binding tasks to cores goes wrong.
    https://github.com/aws/aws-parallelcluster/issues/5797
    """
    topology = slurm_topology(group.instance_type)
    written = {key.lower() for key in group.settings.slurm_settings}
    if topology is None or len(group.instance_types) > 1 or written & _PROCESSORS:
        return {}
    sockets, cores_per_socket, _ = topology
    return {"Sockets": sockets, "CoresPerSocket": cores_per_socket}


def custom_actions(spec: Spec, own: CustomActions, ids: Ids) -> dict[str, Any]:
    """Return the section of one kind of nodes: the user's scripts around trainyard's launcher, or nothing."""
    lists = {
        "OnNodeStart": _scripts(own.on_start),
        "OnNodeConfigured": [*_scripts(own.before_setup), *_launcher(spec, ids), *_scripts(own.after_setup)],
        "OnNodeUpdated": _scripts(getattr(own, "on_update", ())),
    }
    actions = {moment: {"Sequence": scripts} for moment, scripts in lists.items() if scripts}
    return {"CustomActions": actions} if actions else {}


def _launcher(spec: Spec, ids: Ids) -> list[dict[str, Any]]:
    if not spec.installs_anything:
        return []
    folder = f"s3://{'/'.join(assets_folder(spec, ids))}"
    return [{"Script": f"{folder}/launch.sh", "Args": [folder]}]


def _scripts(scripts: tuple[Script, ...]) -> list[dict[str, Any]]:
    return [{"Script": script.script, **({"Args": list(script.args)} if script.args else {})} for script in scripts]
