"""What is wrong with a cluster, or soon will be, the worst first, each with the command to run next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from shlex import join

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stack_events import stack_failure
from trainyard.edge.aws.stacks import StackState
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.durations import duration
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.operate.status.reservations import MISSING

_SOON_S = 86_400
_MOST = 3


def concerns(account: Account, status: Status) -> tuple[Concern, ...]:
    """Return what is wrong, errors first."""
    all_concerns = [*_of_unknown(status), *_of_stacks(account, status), *_of_deployment(status)]
    if status.platform is None:
        all_concerns += _of_no_platform(status)
    else:
        all_concerns += status.platform.concerns(status, broken=bool(all_concerns))
    all_concerns += _of_drift(status)
    all_concerns += [*_of_reservations(status), *_of_file_systems(status), *_of_monitoring(status)]
    if status.failures and not any(concern.severity == "error" for concern in all_concerns):
        all_concerns.append(Concern("warning", "something failed lately", status.command("diagnose")))
    return tuple(sorted(all_concerns, key=lambda concern: concern.severity != "error"))


def _of_unknown(status: Status) -> Iterator[Concern]:
    for part in ("stacks", "nodes") if status.platform is None else status.platform.essential_parts:
        if part in status.unknown:
            yield Concern("error", f"whether it is up is not known: {status.unknown[part]}")


def _of_no_platform(status: Status) -> Iterator[Concern]:
    if not status.has_own_stack(status.name):
        stopped = status.record is not None and status.record.stage in ("prepared", "deploying")
        what = "the cluster itself is not there" + (": `trainyard deploy` with its spec goes on" if stopped else "")
        yield Concern("error", what, None if stopped else status.command("logs"))
    elif "nodes" not in status.unknown:
        yield Concern("error", f"stack {status.name} is of no platform that trainyard knows, and has no nodes")


def _of_deployment(status: Status) -> Iterator[Concern]:
    """Yield that a deployment or a destruction is not over: a call that was killed leaves no other trace."""
    record = status.record
    if record is not None and record.stage == "destroying":
        yield Concern("error", f"its destruction began at {record.since} and is not over", status.command("destroy"))
    elif record is not None and record.stage == "deploying":
        what = f"its deployment began at {record.since} and is not over: `trainyard deploy` with its spec goes on"
        yield Concern("warning", what)


def _of_drift(status: Status) -> Iterator[Concern]:
    """Yield what somebody has changed since the last deployment."""
    if status.drift:
        more = f"; and {len(status.drift) - _MOST} more (--json has all)" if len(status.drift) > _MOST else ""
        changed = f"{'; '.join(map(str, status.drift[:_MOST]))}{more}"
        yield Concern("warning", f"somebody has changed it since its last deployment: {changed}")


def _of_stacks(account: Account, status: Status) -> Iterator[Concern]:
    for stack in status.stacks:
        if stack.in_progress:
            watch = status.platform.watch_words if status.platform is not None else ()
            command = status.command(*watch) if watch and status.is_made_by_trainyard else None
            yield Concern("error", f"stack {stack.name} is {stack.status}", command)
        elif not stack.usable:
            yield Concern("error", _why(account, stack), status.command("diagnose"))


def _why(account: Account, stack: StackState) -> str:
    try:
        return stack_failure(account, stack.id, stack).problem
    except TrainyardError:  # who may not read its events sees its status
        return f"stack {stack.name} is {stack.status}"


def _of_reservations(status: Status) -> Iterator[Concern]:
    for reservation in status.reservations:
        words = ["aws", "ec2", "describe-capacity-reservations", "--region", status.region]
        if reservation.state != "active":
            state = (
                "does not exist in this account and region"
                if reservation.state == MISSING
                else f"is {reservation.state}"
            )
            look = words if reservation.state == MISSING else [*words, "--capacity-reservation-ids", reservation.id]
            yield Concern("warning", f"{reservation.id} of {_named(reservation.queues)} {state}", join(look))
        elif reservation.gone_by is not None and 0 <= (left_s := reservation.gone_by.timestamp() - status.at) < _SOON_S:
            word = "Capacity Block" if reservation.kind == "capacity-block" else "reservation"
            gone = f"{datetime.fromtimestamp(reservation.gone_by.timestamp(), UTC):%Y-%m-%d %H:%M} UTC"
            whose = f"{word} {reservation.id} of {_named(reservation.queues)}"
            what = f"{whose}: its instances go in {duration(left_s)}, at {gone}"
            yield Concern(
                "warning", what, _extension(status, reservation.id) if reservation.kind == "capacity-block" else None
            )


def _extension(status: Status, id_: str) -> str:
    """Return the command that lists for what a Capacity Block can be prolonged.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityBlockExtensionOfferings.html
    """
    words = ["aws", "ec2", "describe-capacity-block-extension-offerings", "--region", status.region]
    return join([*words, "--capacity-reservation-id", id_, "--capacity-block-extension-duration-hours", "24"])


def _named(queues: tuple[str, ...]) -> str:
    return f"queue{'s' if len(queues) > 1 else ''} {', '.join(queues)}"


def _of_file_systems(status: Status) -> Iterator[Concern]:
    ask = {
        "EFS": ["efs", "describe-file-systems", "--file-system-id"],
        "EBS": ["ec2", "describe-volumes", "--volume-ids"],
    }
    for system in status.file_systems:
        if not system.works:
            command = ["aws", *ask.get(system.kind, ["fsx", "describe-file-systems", "--file-system-ids"]), system.id]
            where = f", mounted at {system.mount}," if system.mount else ""
            yield Concern(
                "warning",
                f"{system.kind} {system.id}{where} is {system.state}",
                join([*command, "--region", status.region]),
            )


def _of_monitoring(status: Status) -> Iterator[Concern]:
    if status.platform is not None and not status.platform.has_nodes:
        return
    for workspace in status.monitoring.workspaces if status.monitoring is not None else ():
        if workspace.status != "ACTIVE" and not workspace.status.startswith("not known"):
            yield Concern(
                "warning",
                f"{workspace.service} workspace {workspace.id} is {workspace.status}",
                status.command("monitor", "verify"),
            )
