"""The compute environments of a Batch cluster, with their instances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_instances import ContainerInstance, container_instances, instances_of
from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.edge.aws.ec2 import launch_template_data, reservation_of, tags_of
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.platforms.batch.status.batch_status import ComputeEnvironmentStatus, QueueStatus
from trainyard.platforms.batch.status.queues import MISSING, name_of

_QUEUE = "trainyard:queue"
# How long an instance may take until ECS has it: a big one boots for minutes, and mounts its file systems first.
_LATE_S = 900


class EnvironmentInstances(NamedTuple):
    """What was found of the instances of an environment; None where nobody may look."""

    instances: tuple[Mapping[str, Any], ...] | None
    registered: tuple[ContainerInstance, ...] | None
    reservation: str | None


def ask_reservation(account: Account, environment: ComputeEnvironment) -> str | None:
    """Return the reservation that the launch template of an environment names."""
    if environment.launch_template is None:
        return None
    data = launch_template_data(account, *environment.launch_template)
    return None if data is None else reservation_of(data)


def ask_instances(account: Account, environment: ComputeEnvironment) -> tuple[Mapping[str, Any], ...]:
    """Return the instances of an environment, as EC2 describes them."""
    return instances_of(account, environment)


def ask_registered(account: Account, environment: ComputeEnvironment) -> tuple[ContainerInstance, ...]:
    """Return those that ECS knows."""
    return container_instances(account, environment.ecs_cluster)


def nodes(environment: ComputeEnvironment, instances: Iterable[Mapping[str, Any]]) -> Iterator[ClusterNode]:
    """Yield instances as the nodes of a cluster."""
    for instance in instances:
        queue = tags_of(dict(instance)).get(_QUEUE)
        yield ClusterNode(
            instance["InstanceId"],
            "Compute",
            queue,
            instance["InstanceType"],
            instance["State"]["Name"],
            instance["Placement"]["AvailabilityZone"],
            instance.get("PrivateIpAddress"),
            environment.name,
            launched=instance["LaunchTime"].isoformat(timespec="seconds") if "LaunchTime" in instance else None,
            public_address=instance.get("PublicIpAddress"),
            purchase=instance.get("InstanceLifecycle", "on-demand"),
        )


def environment_states(
    names: Iterable[str],
    described: Iterable[ComputeEnvironment] | None,
    instances: Mapping[str, EnvironmentInstances],
    now_s: float,
) -> tuple[ComputeEnvironmentStatus, ...]:
    """Return the environments that a stack has, of which some may be gone; none where nobody may look at them."""
    if described is None:
        return ()
    environments = {key: environment for environment in described for key in (environment.arn, environment.name)}
    return tuple(
        _environment(environments[name], instances[environments[name].arn], now_s)
        if name in environments
        else _missing(name)
        for name in names
    )


def _environment(
    environment: ComputeEnvironment, environment_instances: EnvironmentInstances, now_s: float
) -> ComputeEnvironmentStatus:
    existing = list(nodes(environment, environment_instances.instances or ()))
    return ComputeEnvironmentStatus(
        environment.name,
        environment.state,
        environment.status,
        environment.reason,
        environment.kind,
        environment.instance_types,
        environment.min_vcpus,
        environment.desired_vcpus,
        environment.max_vcpus,
        environment_instances.reservation,
        dict(Counter(node.state for node in existing)),
        ()
        if environment_instances.registered is None
        else late(existing, {instance.instance for instance in environment_instances.registered}, now_s),
    )


def _missing(name: str) -> ComputeEnvironmentStatus:
    return ComputeEnvironmentStatus(name_of(name), MISSING, "", "", "", (), 0, 0, 0, None, {}, ())


def late(existing: Iterable[ClusterNode], registered_ids: set[str], now_s: float) -> tuple[str, ...]:
    """Return the instances that run for longer than they need to get to ECS, and that it does not know."""
    running = [node for node in existing if node.state == "running" and node.launched is not None]
    return tuple(
        node.id
        for node in running
        if node.id not in registered_ids and now_s - datetime.fromisoformat(node.launched or "").timestamp() > _LATE_S
    )


def reservations_in_use(
    environments: Iterable[ComputeEnvironmentStatus], queues: Iterable[QueueStatus]
) -> list[tuple[str, str]]:
    """Return the first queue that uses each environment that names a reservation, with that."""
    first = {name: queue.name for queue in reversed(tuple(queues)) for name in queue.environments}
    return [
        (first.get(environment.name, environment.name), environment.reservation)
        for environment in environments
        if environment.reservation is not None
    ]
