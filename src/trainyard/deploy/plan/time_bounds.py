"""What ends a node that is not up in time, and which setting says when."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.spec.cluster import Spec

_PARALLELCLUSTER = "https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster"
# heartbeat_timeout of the hook at the launch of login nodes, the same from 3.14.2 to 3.16.1; no setting changes it.
_LOGIN_HOOK_S = 600


class Bound(NamedTuple):
    """One limit on how long a node may take."""

    setting: str | None
    """Path in the spec; None where nothing changes it."""
    seconds: int
    what: str
    """What keeps the time, and what it does when that is over."""
    changeable: bool
    """Whether an update of the cluster changes it."""
    source: str


def bounds(spec: Spec, node: str) -> tuple[Bound, ...]:
    """Return the limits of a kind of nodes: head, login or queue/NAME. The shortest comes first."""
    if node == "head":
        return (_head_node(spec),)
    if node == "login":
        return tuple(sorted((_login_node(spec), _LOGIN_HOOK), key=lambda bound: bound.seconds))
    return (_compute_node(spec),)


def _head_node(spec: Spec) -> Bound:
    # The schema gives it UpdatePolicy.UNSUPPORTED.
    return Bound(
        "timeouts.head_node_s",
        spec.timeouts.head_node_s,
        "CloudFormation waits that long for the head node alone, with the nodes that it waits for, and then fails the "
        "cluster",
        changeable=False,
        source=f"{_PARALLELCLUSTER}/templates/cluster_stack.py",
    )


def _compute_node(spec: Spec) -> Bound:
    # The cookbook writes it to Slurm's and clustermgtd's configuration, pcluster into the user data of the nodes.
    return Bound(
        "timeouts.compute_node_s",
        spec.timeouts.compute_node_s,
        "Slurm gives up a node after it (ResumeTimeout), clustermgtd replaces one that always runs "
        "(node_replacement_timeout), and the node's own user data stops it (timeout)",
        changeable=True,
        source=f"{_PARALLELCLUSTER}/resources/compute_node/user_data.sh",
    )


def _login_node(spec: Spec) -> Bound:
    return Bound(
        "timeouts.compute_node_s",
        spec.timeouts.compute_node_s,
        "the user data of a login node stops it (timeout)",
        changeable=True,
        source=f"{_PARALLELCLUSTER}/resources/login_node/user_data.sh",
    )


_LOGIN_HOOK = Bound(
    None,
    _LOGIN_HOOK_S,
    "Auto Scaling abandons a login node that has not reported by then (heartbeat of its launching hook), and starts "
    "another one",
    changeable=False,
    source=f"{_PARALLELCLUSTER}/templates/login_nodes_stack.py",
)
