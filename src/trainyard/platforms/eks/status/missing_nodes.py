"""Why a node group has fewer nodes than it is to have: what its capacity, EKS, Auto Scaling and its nodes say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.edge.aws.batch_instances import FailedLaunch
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.operate.nodes.durations import duration, short_list
from trainyard.operate.status.failures import short
from trainyard.operate.status.reservations import MISSING, Reservation
from trainyard.platforms.eks.status.eks_status import KubernetesNode, issue_text

_LATELY_S = 86_400
# A big instance boots for minutes, and stripes its drives before it joins.
_JOINS_WITHIN_S = 900
_MOST = 4


class OfGroup(NamedTuple):
    """What is known of a node group."""

    state: NodeGroupState
    instances: tuple[ClusterNode, ...]
    nodes: tuple[KubernetesNode, ...] | None
    """None where the Kubernetes API does not answer."""
    reservation: Reservation | None
    launches: tuple[FailedLaunch, ...]
    """Those that failed, the newest first."""


def reasons(of: OfGroup, now_s: float) -> tuple[str, ...]:
    """Return why nodes are missing, the plainest reason first; none where none are missing, or nobody says."""
    desired = of.state.desired_nodes
    running = [instance for instance in of.instances if instance.state == "running"]
    ready = len(running) if of.nodes is None else sum(node.ready for node in of.nodes)
    if ready >= desired:
        return ()
    all_reasons: list[str] = []
    if len(running) < desired:
        all_reasons += [*_of_reservation(of, desired - len(running), now_s), *_of_issues(of), *_of_launches(of, now_s)]
        all_reasons += _of_starting(of)
    else:
        all_reasons += _of_issues(of)
    all_reasons += [*_of_joining(of, running, now_s), *_of_unready(of)]
    return tuple(dict.fromkeys(all_reasons))[:_MOST]


def _of_reservation(of: OfGroup, missing: int, now_s: float) -> Iterator[str]:
    reservation = of.reservation
    if reservation is None:
        return
    what = f"{'Capacity Block' if reservation.kind == 'capacity-block' else 'reservation'} {reservation.id}"
    if reservation.state == MISSING:
        yield f"{what} does not exist in this account and region"
    elif reservation.starts is not None and reservation.starts.timestamp() > now_s:
        begins = f"{reservation.starts.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        yield f"{what} has not begun: it begins at {begins}, in {duration(reservation.starts.timestamp() - now_s)}"
    elif reservation.state != "active":
        yield f"{what} is {reservation.state}"
    elif of.state.instance_types and reservation.instance_type not in of.state.instance_types:
        yield f"{what} is for {reservation.instance_type}, and the node group has {', '.join(of.state.instance_types)}"
    elif reservation.total - reservation.used < missing:
        free = reservation.total - reservation.used
        yield f"{what} has {free} of its {reservation.total} instances left, and {missing} more are wanted"


def _of_issues(of: OfGroup) -> Iterator[str]:
    if of.state.status in ("CREATING", "UPDATING", "DELETING"):
        yield f"EKS is {of.state.status} it"
    yield from (f"EKS says {short(issue_text(health_issue))}" for health_issue in of.state.health)


def _of_launches(of: OfGroup, now_s: float) -> Iterator[str]:
    """Yield the last launch that failed, where that was lately."""
    lately = [launch for launch in of.launches if now_s - launch.at.timestamp() < _LATELY_S]
    if lately:
        ago = duration(max(now_s - lately[0].at.timestamp(), 0))
        yield f"Auto Scaling could not launch, {ago} ago: {short(lately[0].why)}"


def _of_starting(of: OfGroup) -> Iterator[str]:
    coming = [instance.id for instance in of.instances if instance.state == "pending"]
    if coming:
        yield f"{short_list(coming)} {'is' if len(coming) == 1 else 'are'} starting"


def _of_joining(of: OfGroup, running: Sequence[ClusterNode], now_s: float) -> Iterator[str]:
    """Yield the instances that run and that Kubernetes does not know."""
    if of.nodes is None:
        return
    joined = {node.instance for node in of.nodes}
    absent = [node for node in running if node.id not in joined]
    late = [node.id for node in absent if node.launched is None or _age_s(node, now_s) > _JOINS_WITHIN_S]
    young = [node.id for node in absent if node.id not in late]
    if late:
        yield f"{short_list(late)} {'runs and has' if len(late) == 1 else 'run and have'} not joined the cluster"
    if young:
        yield f"{short_list(young)} {'is' if len(young) == 1 else 'are'} about to join"


def _age_s(node: ClusterNode, now_s: float) -> float:
    return now_s - datetime.fromisoformat(node.launched or "").timestamp()


def _of_unready(of: OfGroup) -> Iterator[str]:
    unready = [node for node in of.nodes or () if not node.ready]
    by_reason: dict[str, list[str]] = {}
    for kubernetes_node in unready:
        by_reason.setdefault(kubernetes_node.why, []).append(kubernetes_node.name)
    for why, names in by_reason.items():
        yield f"{short_list(names)} {'is' if len(names) == 1 else 'are'} not ready: {short(why)}"
