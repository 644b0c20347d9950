"""How the state of a cluster is printed: on one screen, or as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli.output import one_line, print_text
from trainyard.cli.status_batch_output import batch_lines, batch_values
from trainyard.cli.status_eks_output import eks_lines, eks_values
from trainyard.platforms.eks.status.control_plane import usd_an_hour
from trainyard.render.tags import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.operate.monitoring.access import MonitoringAccess
    from trainyard.operate.status.cluster_status import Status
    from trainyard.operate.status.concern import Concern
    from trainyard.operate.status.node_hours import NodeHours
    from trainyard.operate.status.queues import ComputeResource
    from trainyard.operate.status.reservations import Reservation

_LONGEST_OUTPUT = 31
_QUERY_WORDS = ("API", "dashboards", "by hand")
_COLOURS = {"error": "red", "warning": "yellow"}


def print_status(found: Status) -> None:
    """Print the state of a cluster."""
    up = click.style("up", fg="green") if found.up else click.style(one_line(found.problem or ""), fg="red")
    print_text(f"{found.name} in {found.region}: {up}")
    print_text(_maker(found))
    for concern in found.concerns:
        print_text(_concern(concern, alone=concern.what == found.problem))
    for line in _lines(found):
        print_text(one_line(line))
    if found.monitoring is not None:
        _print_monitoring(found.monitoring)
    for part, why in found.unknown.items():
        print_text(one_line(f"not known: {part}: {why}"))


def _maker(found: Status) -> str:
    if found.record is not None:
        record = found.record
        version = record.parallelcluster_version
        made_for = "" if version is None else f" for ParallelCluster {version}"
        made_for = " for AWS Batch" if found.batch is not None else made_for
        made_for = " for Amazon EKS" if found.eks is not None else made_for
        return f"{record.stage} since {record.since}, by trainyard {record.trainyard_version}{made_for}"
    if any(CLUSTER in stack.tags for stack in found.stacks):
        return "made by trainyard; what it remembers of it is gone, or lies in another bucket (--bucket)"
    return "not made by trainyard"


def _concern(concern: Concern, *, alone: bool) -> str:
    """Return a line with what is wrong and what to run; the first line of all has said the first of them already."""
    severity = click.style(concern.severity, fg=_COLOURS[concern.severity])
    next_ = f" → {one_line(concern.command)}" if concern.command else ""
    return f"  next:{next_[2:]}" if alone and next_ else f"  {severity}: {one_line(concern.what)}{next_}"


def _lines(found: Status) -> Iterator[str]:
    yield from (f"  stack {stack.name:<40} {stack.status}" for stack in found.stacks)
    if found.batch is not None:
        yield from batch_lines(found.batch)
    elif found.eks is not None:
        yield from eks_lines(found.eks)
    else:
        yield from _slurm(found)
    yield from (_reservation(one, found.at) for one in found.reservations)
    for system in found.file_systems:
        size = f" {system.size_gib:,} GiB" if system.size_gib is not None else ""
        yield f"  {system.kind} {system.id} {system.state}{size}{f' at {system.mount}' if system.mount else ''}"
    told = "; ".join(" ".join(one.what.split()) for one in found.concerns)
    for failure in found.failures:
        if failure.what.removesuffix("…") in told:  # above, with the command to run next
            continue
        times = f" ({failure.times} times)" if failure.times > 1 else ""
        yield f"  failed: {f'{failure.at} ' if failure.at else ''}{failure.place}: {failure.what}{times}"
    if found.cost is not None and found.cost.lines:
        yield from _cost(found.cost)
        if found.eks is not None and found.eks.control_plane is not None:
            usd = usd_an_hour(found.eks.control_plane.support)
            price = "" if usd is None else f", {usd:.2f} USD an hour"
            yield f"  {_beside(found.cost)}: the control plane{price}"


def _slurm(found: Status) -> Iterator[str]:
    """Yield the lines of a cluster of ParallelCluster: its head node, its fleet, its queues."""
    if (head := found.head_node) is not None:
        address = f"{head.private_address or 'no address'}{f' ({head.public_address})' if head.public_address else ''}"
        yield f"  head node {head.id} {head.instance_type} {head.state} {address} in {head.zone}"
    if found.fleet is not None:
        yield f"  fleet {found.fleet.status}{f' since {found.fleet.since}' if found.fleet.since else ''}"
    yield from map(_queue, found.queues)
    known = {one.queue for one in found.queues}
    for (role, queue, state), count in found.node_counts().items():
        if role != "HeadNode" and queue not in known:
            yield f"  {count} × {role}{f' of queue {queue}' if queue else ''} {state}"


def _queue(one: ComputeResource) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in one.states.items()) or "no nodes"
    reserved = f", {one.reservation}" if one.reservation else ""
    types = " or ".join(one.instance_types)
    return f"  queue {one.queue}/{one.name} {types}: {counts} of {one.least} to {one.most} ({one.capacity}{reserved})"


def _reservation(one: Reservation, now_s: float) -> str:
    from trainyard.operate.nodes.durations import duration

    kind = "Capacity Block" if one.kind == "capacity-block" else "reservation"
    what = f"  {kind} {one.id} of {', '.join(one.queues)}: {one.state}"
    if one.total:
        what += f", {one.used} of {one.total} {one.instance_type} used in {one.zone}"
    if one.ends is None or one.gone_by is None:
        return what
    left_s = one.gone_by.timestamp() - now_s
    going = f"its instances go in {duration(left_s)}" if left_s > 0 else "its instances are gone"
    return f"{what}, ends {_minute(one.ends)} ({going})"


def _cost(cost: NodeHours) -> Iterator[str]:
    if _is_told(cost):
        yield (
            f"  about {cost.usd:,.2f} USD so far, {cost.usd_an_hour:,.2f} USD an hour: the hours of the instances "
            f"that are there, on demand, by list prices read on {cost.read}; an estimate, no bill"
        )
    for line in cost.lines:
        if line.usd is None:
            hours = f"{line.instances} × {line.instance_type} for {line.hours:,.1f} hours"
            yield f"  {_beside(cost)}: {hours} ({line.why})"


def _is_told(cost: NodeHours) -> bool:
    """Return whether there is a sum to be told."""
    return cost.read is not None and bool(cost.usd)


def _beside(cost: NodeHours) -> str:
    return "not in it" if _is_told(cost) else "costs"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _print_monitoring(access: MonitoringAccess) -> None:
    print_text(f"monitoring: {access.mode}, of stack {access.of}")
    for one in access.workspaces:
        print_text(f"  {one.service} workspace {one.id} {one_line(one.status)}")
    for name, value in access.outputs.items():
        print_text(f"  {name:<{_LONGEST_OUTPUT}} {one_line(value)}")
    if access.query is not None:
        print_text("to query, with the rights of AMPQueryPolicyArn:")
        for what, value in zip(_QUERY_WORDS, access.query, strict=True):
            print_text(f"  {what:<10} {value}")


def status_values(found: Status) -> dict[str, Any]:
    """Return the state of a cluster as values for JSON."""
    record = found.record
    return {
        "name": found.name,
        "region": found.region,
        "up": found.up,
        "problem": found.problem,
        "stage": record.stage if record else None,
        "since": record.since if record else None,
        "trainyard_version": record.trainyard_version if record else None,
        "parallelcluster_version": record.parallelcluster_version if record and _is_parallelcluster(found) else None,
        "concerns": [one._asdict() for one in found.concerns],
        "stacks": [{"name": stack.name, "status": stack.status} for stack in found.stacks],
        "nodes": [node._asdict() for node in found.nodes],
        "fleet": None if found.fleet is None else found.fleet._asdict(),
        "queues": [{**one._asdict(), "states": dict(one.states)} for one in found.queues],
        "reservations": [_reservation_values(one) for one in found.reservations],
        "file_systems": [one._asdict() for one in found.file_systems],
        "failures": [one._asdict() for one in found.failures],
        "cost": None if found.cost is None else _cost_values(found.cost),
        "batch": None if found.batch is None else batch_values(found.batch),
        "eks": None if found.eks is None else eks_values(found.eks),
        "monitoring": None if found.monitoring is None else _monitoring_values(found.monitoring),
        "unknown": dict(found.unknown),
    }


def _is_parallelcluster(found: Status) -> bool:
    return found.batch is None and found.eks is None


def _reservation_values(one: Reservation) -> dict[str, Any]:
    times = {"starts": one.starts, "ends": one.ends, "gone_by": one.gone_by}
    texts = {key: None if at is None else at.isoformat(timespec="seconds") for key, at in times.items()}
    return {**one._asdict(), **texts}


def _cost_values(cost: NodeHours) -> dict[str, Any]:
    return {
        "usd": round(cost.usd, 2),
        "usd_an_hour": round(cost.usd_an_hour, 2),
        "prices_read": cost.read,
        "lines": [line._asdict() for line in cost.lines],
    }


def _monitoring_values(access: MonitoringAccess) -> dict[str, object]:
    return {
        "stack": access.of,
        "mode": access.mode,
        "workspaces": [one._asdict() for one in access.workspaces],
        "outputs": dict(access.outputs),
        "query": None if access.query is None else access.query._asdict(),
    }
