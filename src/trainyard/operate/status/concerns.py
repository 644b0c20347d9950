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
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.concern import Concern
from trainyard.operate.status.reservations import MISSING
from trainyard.platforms.batch.status.concerns import batch_concerns
from trainyard.platforms.eks.status.concerns import eks_concerns
from trainyard.render.tags import CLUSTER

_SOON_S = 86_400
# https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.describe-compute-fleet-v3.html
_STOPPED = {"STOP_REQUESTED", "STOPPING", "STOPPED"}


def concerns(account: Account, seen: Status, *, is_environment: bool) -> tuple[Concern, ...]:
    """Return what is wrong, errors first."""
    found = [*_of_unknown(seen), *_of_stacks(account, seen)]
    if not is_environment:
        found += _of_platform(seen, broken=bool(found))
        found += [*_of_reservations(seen), *_of_file_systems(seen), *_of_monitoring(seen)]
    if seen.failures and not any(one.severity == "error" for one in found):
        found.append(Concern("warning", "something failed lately", _own(seen, "diagnose")))
    return tuple(sorted(found, key=lambda one: one.severity != "error"))


def _of_platform(seen: Status, *, broken: bool) -> list[Concern]:
    if seen.batch is not None:
        return [*batch_concerns(seen, seen.batch)]
    if seen.eks is not None:
        return [*eks_concerns(seen, seen.eks)]
    return [*_of_head_node(seen, broken=broken), *_of_fleet(seen), *_of_queues(seen)]


def _own(seen: Status, *words: str) -> str:
    return join(["trainyard", *words, seen.name, "--region", seen.region])


def _of_unknown(seen: Status) -> Iterator[Concern]:
    # Of EKS, the service itself says whether the cluster works.
    needed = ("stacks", "nodes") if seen.eks is None else ("EKS", "node groups")
    for part in needed:
        if part in seen.unknown:
            yield Concern("error", f"whether it is up is not known: {seen.unknown[part]}")


def _of_stacks(account: Account, seen: Status) -> Iterator[Concern]:
    for stack in seen.stacks:
        if stack.in_progress:
            watched = _made_by_trainyard(seen) and seen.batch is None and seen.eks is None
            command = _own(seen, "nodes", "watch") if watched else None
            yield Concern("error", f"stack {stack.name} is {stack.status}", command)
        elif not stack.usable:
            yield Concern("error", _why(account, stack), _own(seen, "diagnose"))


def _why(account: Account, stack: StackState) -> str:
    try:
        return stack_failure(account, stack.id, stack).problem
    except TrainyardError:  # who may not read its events sees its status
        return f"stack {stack.name} is {stack.status}"


def _made_by_trainyard(seen: Status) -> bool:
    return seen.record is not None or any(CLUSTER in stack.tags for stack in seen.stacks)


def _of_head_node(seen: Status, *, broken: bool) -> Iterator[Concern]:
    if "stacks" not in seen.unknown and not any(stack.name == seen.name for stack in seen.stacks):
        yield Concern("error", "the cluster itself is not there", _own(seen, "logs"))
    elif "nodes" not in seen.unknown and not broken:
        head = seen.head_node
        if head is None:
            yield Concern("error", "no head node runs: there is none", _own(seen, "diagnose"))
        elif head.state != "running":
            what = f"no head node runs: {head.id} is {head.state}"
            start = join(["aws", "ec2", "start-instances", "--region", seen.region, "--instance-ids", head.id])
            yield Concern("error", what, start if head.state == "stopped" else _own(seen, "diagnose"))


def _of_fleet(seen: Status) -> Iterator[Concern]:
    if seen.fleet is None:
        return
    if seen.fleet.status == "PROTECTED":
        what = "the fleet is PROTECTED: nodes failed to come up again and again, and their queues are switched off"
        yield Concern("error", what, _own(seen, "diagnose"))
    elif seen.fleet.status in _STOPPED:
        words = ["pcluster", "update-compute-fleet", "--cluster-name", seen.name, "--region", seen.region]
        what = f"the fleet is {seen.fleet.status}: no compute nodes are launched"
        yield Concern("warning", what, join([*words, "--status", "START_REQUESTED"]))


def _of_queues(seen: Status) -> Iterator[Concern]:
    if seen.fleet is not None and seen.fleet.status != "RUNNING":
        return
    for one in seen.queues:
        if one.running < one.least and "nodes" not in seen.unknown:
            check = [*(["nodes", "check"] if _made_by_trainyard(seen) else ["diagnose"])]
            what = f"{one.queue}/{one.name} has {one.running} running nodes of the {one.least} that always run"
            yield Concern("warning", what, _own(seen, *check))


def _of_reservations(seen: Status) -> Iterator[Concern]:
    for one in seen.reservations:
        words = ["aws", "ec2", "describe-capacity-reservations", "--region", seen.region]
        if one.state != "active":
            state = "does not exist in this account and region" if one.state == MISSING else f"is {one.state}"
            look = words if one.state == MISSING else [*words, "--capacity-reservation-ids", one.id]
            yield Concern("warning", f"{one.id} of {_named(one.queues)} {state}", join(look))
        elif one.gone_by is not None and 0 <= (left_s := one.gone_by.timestamp() - seen.at) < _SOON_S:
            word = "Capacity Block" if one.kind == "capacity-block" else "reservation"
            gone = f"{datetime.fromtimestamp(one.gone_by.timestamp(), UTC):%Y-%m-%d %H:%M} UTC"
            what = f"{word} {one.id} of {_named(one.queues)}: its instances go in {duration(left_s)}, at {gone}"
            yield Concern("warning", what, _extension(seen, one.id) if one.kind == "capacity-block" else None)


def _extension(seen: Status, id_: str) -> str:
    """Return the command that lists for what a Capacity Block can be prolonged.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeCapacityBlockExtensionOfferings.html
    """
    words = ["aws", "ec2", "describe-capacity-block-extension-offerings", "--region", seen.region]
    return join([*words, "--capacity-reservation-id", id_, "--capacity-block-extension-duration-hours", "24"])


def _named(queues: tuple[str, ...]) -> str:
    return f"queue{'s' if len(queues) > 1 else ''} {', '.join(queues)}"


def _of_file_systems(seen: Status) -> Iterator[Concern]:
    ask = {
        "EFS": ["efs", "describe-file-systems", "--file-system-id"],
        "EBS": ["ec2", "describe-volumes", "--volume-ids"],
    }
    for one in seen.file_systems:
        if not one.works:
            command = ["aws", *ask.get(one.kind, ["fsx", "describe-file-systems", "--file-system-ids"]), one.id]
            where = f", mounted at {one.mount}," if one.mount else ""
            yield Concern(
                "warning", f"{one.kind} {one.id}{where} is {one.state}", join([*command, "--region", seen.region])
            )


def _of_monitoring(seen: Status) -> Iterator[Concern]:
    for one in seen.monitoring.workspaces if seen.monitoring is not None else ():
        if one.status != "ACTIVE" and not one.status.startswith("not known"):
            yield Concern(
                "warning", f"{one.service} workspace {one.id} is {one.status}", _own(seen, "monitor", "verify")
            )
