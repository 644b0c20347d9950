"""How the state of a cluster is printed: on one screen, or as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_text, styled
from trainyard.platform_table import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.operate.monitoring.access import MonitoringAccess
    from trainyard.operate.status.cluster_status import Concern, Status
    from trainyard.operate.status.node_hours import NodeHours
    from trainyard.operate.status.reservations import Reservation

_LONGEST_OUTPUT = 31
_QUERY_WORDS = ("API", "dashboards", "by hand")
_COLOURS = {"error": "red", "warning": "yellow"}
# The order of the keys in JSON, which readers are used to.
_KEYS = (
    "name", "region", "up", "problem", "stage", "since", "trainyard_version", "parallelcluster_version", "concerns",
    "stacks", "nodes", "fleet", "queues", "slurm", "reservations", "file_systems", "failures", "drift", "cost",
    "idle", "batch", "eks", "monitoring", "unknown",
)  # fmt: skip


def print_status(status: Status) -> None:
    """Print the state of a cluster."""
    up = styled("up", fg="green") if status.up else styled(status.problem or "", fg="red")
    print_text(f"{status.name} in {status.region}: {up}")
    print_text(_maker(status))
    for concern in status.concerns:
        print_text(_concern(concern, alone=concern.what == status.problem))
    for line in _lines(status):
        print_text(line)
    if status.monitoring is not None:
        _print_monitoring(status.monitoring)
    for part, why in status.unknown.items():
        print_text(f"not known: {part}: {why}")


def _maker(status: Status) -> str:
    if (record := status.record) is not None:
        platform = "" if status.platform is None else status.platform.version_note(status)
        made_for = f" for {platform}" if platform else ""
        return f"{record.stage} since {record.since}, by trainyard {record.trainyard_version}{made_for}"
    if status.is_made_by_trainyard:
        return "made by trainyard; what it remembers of it is gone, or lies in another bucket (--bucket)"
    return "not made by trainyard"


def _concern(concern: Concern, *, alone: bool) -> str:
    """Return a line with what is wrong and what to run; the first line of all has said the first of them already."""
    severity = styled(concern.severity, fg=_COLOURS[concern.severity])
    next_ = f" → {concern.command}" if concern.command else ""
    return f"  next:{next_[2:]}" if alone and next_ else f"  {severity}: {concern.what}{next_}"


def _lines(status: Status) -> Iterator[str]:
    yield from (f"  stack {stack.name:<40} {stack.status}" for stack in status.stacks)
    if status.platform is not None:
        yield from status.platform.lines(status)
    yield from (_reservation(reservation, status.at) for reservation in status.reservations)
    for system in status.file_systems:
        size = f" {system.size_gib:,} GiB" if system.size_gib is not None else ""
        yield f"  {system.kind} {system.id} {system.state}{size}{f' at {system.mount}' if system.mount else ''}"
    concern_texts = "; ".join(" ".join(concern.what.split()) for concern in status.concerns)
    for failure in status.failures:
        if failure.what.removesuffix("…") in concern_texts:  # above, with the command to run next
            continue
        times = f" ({failure.times} times)" if failure.times > 1 else ""
        yield f"  failed: {f'{failure.at} ' if failure.at else ''}{failure.place}: {failure.what}{times}"
    if status.cost is not None and status.cost.lines:
        yield from _cost(status.cost)
        other_costs = () if status.platform is None else status.platform.other_costs()
        yield from (f"  {_beside(status.cost)}: {other}" for other in other_costs)
    if status.idle is not None and status.idle.lines:
        yield _idle(status.idle)


def _reservation(reservation: Reservation, now_s: float) -> str:
    from trainyard.operate.nodes.durations import duration

    kind = "Capacity Block" if reservation.kind == "capacity-block" else "reservation"
    what = f"  {kind} {reservation.id} of {', '.join(reservation.queues)}: {reservation.state}"
    if reservation.total:
        what += f", {reservation.used} of {reservation.total} {reservation.instance_type} used in {reservation.zone}"
    if reservation.ends is None or reservation.gone_by is None:
        return what
    left_s = reservation.gone_by.timestamp() - now_s
    going = f"its instances go in {duration(left_s)}" if left_s > 0 else "its instances are gone"
    return f"{what}, ends {_minute(reservation.ends)} ({going})"


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


def _idle(idle: NodeHours) -> str:
    """Return the instances without a job, and what an hour of them costs as far as that is known."""
    counts = [
        f"{line.instances} × {line.instance_type}{f' ({line.why})' if line.usd is None else ''}" for line in idle.lines
    ]
    price = f", {idle.usd_an_hour:,.2f} USD an hour by list prices read on {idle.read}" if _is_told(idle) else ""
    return f"  without a job: {', '.join(counts)}{price}"


def _is_told(cost: NodeHours) -> bool:
    """Return whether there is a sum to be told."""
    return cost.read is not None and bool(cost.usd)


def _beside(cost: NodeHours) -> str:
    return "not in it" if _is_told(cost) else "costs"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _print_monitoring(access: MonitoringAccess) -> None:
    print_text(f"monitoring: {access.mode}, of stack {access.of}")
    for workspace in access.workspaces:
        print_text(f"  {workspace.service} workspace {workspace.id} {workspace.status}")
    for name, value in access.outputs.items():
        print_text(f"  {name:<{_LONGEST_OUTPUT}} {value}")
    if access.query is not None:
        print_text("to query, with the rights of AMPQueryPolicyArn:")
        for what, value in zip(_QUERY_WORDS, access.query, strict=True):
            print_text(f"  {what:<10} {value}")


def status_values(status: Status) -> dict[str, Any]:
    """Return the state of a cluster as values for JSON."""
    record = status.record
    values = {
        "name": status.name,
        "region": status.region,
        "up": status.up,
        "problem": status.problem,
        "stage": record.stage if record else None,
        "since": record.since if record else None,
        "trainyard_version": record.trainyard_version if record else None,
        "concerns": [concern._asdict() for concern in status.concerns],
        "stacks": [{"name": stack.name, "status": stack.status} for stack in status.stacks],
        "nodes": [node._asdict() for node in status.nodes],
        "reservations": [_reservation_values(reservation) for reservation in status.reservations],
        "file_systems": [system._asdict() for system in status.file_systems],
        "failures": [failure._asdict() for failure in status.failures],
        "drift": [difference.as_json() for difference in status.drift],
        "cost": None if status.cost is None else _cost_values(status.cost),
        "idle": None if status.idle is None else _cost_values(status.idle),
        "monitoring": None if status.monitoring is None else _monitoring_values(status.monitoring),
        "unknown": dict(status.unknown),
    }
    for platform in PLATFORMS.values():
        values |= platform.status_values_elsewhere
    if status.platform is not None:
        values |= status.platform.values(status)
    return {key: values[key] for key in sorted(values, key=_place)}


def _place(key: str) -> int:
    """Return where a key stands; one that only a new platform has stands last."""
    return _KEYS.index(key) if key in _KEYS else len(_KEYS)


def _reservation_values(reservation: Reservation) -> dict[str, Any]:
    times = {"starts": reservation.starts, "ends": reservation.ends, "gone_by": reservation.gone_by}
    texts = {key: None if at is None else at.isoformat(timespec="seconds") for key, at in times.items()}
    return {**reservation._asdict(), **texts}


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
        "workspaces": [workspace._asdict() for workspace in access.workspaces],
        "outputs": dict(access.outputs),
        "query": None if access.query is None else access.query._asdict(),
    }
