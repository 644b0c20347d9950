"""Gathers what has a date of a cluster, of a spec that is still to be deployed, or of all clusters of a region."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from trainyard.edge.aws import acm, ec2
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.errors import FindingsError, TrainyardError
from trainyard.launch.capacity import capacity_target
from trainyard.operate.calendar.calendar_entry import (
    CalendarEntry,
    of_certificate,
    of_images,
    of_reservations,
    of_scheduled_events,
    of_support,
)
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.region_clusters import region_clusters
from trainyard.operate.status.reservations import reservations
from trainyard.operate.status.status_query import status
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse


class Calendar(NamedTuple):
    """What has a date, the earliest first."""

    region: str
    at: float
    """When it was asked for, in seconds since 1970."""
    entries: tuple[CalendarEntry, ...]
    unknown: dict[str, str]
    """Why a part is not known, by its name."""


def cluster_calendar(name: str, account: Account, spec: Spec | None = None, bucket: str | None = None) -> Calendar:
    """Return the calendar of a cluster, or of a spec: also of one that is not deployed.

    ``bucket`` is the one that its spec named, where no stack is left to say so.
    Raises TrainyardError where there is nothing of that name and no spec, or the account cannot be used.
    """
    unknown: dict[str, str] = {}
    try:
        cluster: Status | None = status(name, account, bucket)
    except TrainyardError:
        if spec is None:
            raise
        cluster = None
    if cluster is not None:
        unknown.update({part: why for part, why in cluster.unknown.items() if part in ("nodes", "reservations")})
    entries = list(_entries(name, account, cluster, spec or _recorded_spec(cluster), unknown))
    return _calendar(account, entries, unknown)


def region_calendar(account: Account) -> Calendar:
    """Return the calendar of every cluster and environment of a region. Raises TrainyardError without an account."""
    entries: list[CalendarEntry] = []
    unknown: dict[str, str] = {}
    for cluster in region_clusters(account):
        calendar = cluster_calendar(cluster.name, account)
        entries += calendar.entries
        unknown.update({f"{part} of {cluster.name}": why for part, why in calendar.unknown.items()})
    return _calendar(account, entries, unknown)


def _calendar(account: Account, entries: Iterable[CalendarEntry], unknown: dict[str, str]) -> Calendar:
    return Calendar(account.region, account.clock.now(), tuple(sorted(set(entries))), unknown)


def _entries(
    name: str, account: Account, cluster: Status | None, spec: Spec | None, unknown: dict[str, str]
) -> Iterator[CalendarEntry]:
    questions: dict[str, Callable[[], Iterable[CalendarEntry]]] = {}
    if cluster is not None:
        yield from of_reservations(name, cluster.reservations)
        questions["scheduled events"] = partial(_events, name, account, cluster.nodes)
        questions["images"] = partial(_images, name, account, cluster.nodes)
    if spec is not None:
        yield from of_support(spec)
        questions["reservations of the spec"] = partial(_reservations_of_spec, name, account, spec)
        questions["certificate"] = partial(_certificate, name, account, spec.monitoring.certificate)
    for part, question in questions.items():
        try:
            with aws_errors(account.region):
                yield from question()
        except TrainyardError as error:
            unknown[part] = error.problem


def _recorded_spec(cluster: Status | None) -> Spec | None:
    """Return the spec as it was deployed last; None where trainyard has not, or another version wrote it."""
    if cluster is None or cluster.record is None:
        return None
    try:
        return parse(cluster.record.spec_text, "the spec as it was deployed").spec
    except FindingsError:
        return None


def _reservations_of_spec(name: str, account: Account, spec: Spec) -> list[CalendarEntry]:
    reserving = []
    for group in spec.node_groups():
        target = capacity_target(spec, group.capacity)
        reserving += [(group.queue.name, id_) for id_ in (*target.reservations, *filter(None, [target.group_arn]))]
    return list(of_reservations(name, reservations(account, reserving)))


def _events(name: str, account: Account, nodes: Sequence[ClusterNode]) -> list[CalendarEntry]:
    if not nodes:
        return []
    events = ec2.scheduled_events(account, [node.id for node in nodes])
    return list(of_scheduled_events(name, events, {node.id: _words(node) for node in nodes}))


def _images(name: str, account: Account, nodes: Sequence[ClusterNode]) -> list[CalendarEntry]:
    names = {node.id: _words(node) for node in nodes}
    users: defaultdict[str, list[str]] = defaultdict(list)
    for instance in ec2.instances_by_id(account, list(names)) if names else ():
        user = names[instance["InstanceId"]]
        if user not in users[instance["ImageId"]]:
            users[instance["ImageId"]].append(user)
    return list(of_images(name, ec2.images(account, tuple(users)), users)) if users else []


def _certificate(name: str, account: Account, arn: str | None) -> list[CalendarEntry]:
    certificate = None if arn is None else acm.certificate(account, arn)
    return [] if arn is None or certificate is None else list(of_certificate(name, arn, certificate))


def _words(node: ClusterNode) -> str:
    if node.queue is not None:
        return f"queue {node.queue}"
    return {"HeadNode": "head node", "LoginNode": "login node"}.get(node.role, node.role)
