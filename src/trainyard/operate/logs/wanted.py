"""Which streams of a cluster are asked for: by their nodes, and by what is logged in them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.node_names import instance_of_slurm_node
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account
    from trainyard.operate.logs.cluster_log import ClusterLog, Stream

_MOST_SHOWN = 20


class Wanted(NamedTuple):
    """What is asked for; everything where nothing is said."""

    nodes: tuple[str, ...] = ()
    """Host names, instance ids, or names that Slurm gives to nodes."""
    kinds: tuple[str, ...] = ()
    """Such as slurmctld."""


def chosen(account: Account, log: ClusterLog, wanted: Wanted) -> tuple[Stream, ...]:
    """Return the streams that are asked for. Raises InputError where there is none of a node or of a kind."""
    found = log.streams
    if wanted.nodes:
        ids = {id_ for node in wanted.nodes for id_ in _instances(account, log, node)}
        found = tuple(one for one in found if one.parts is not None and one.parts.instance_id in ids)
    for kind in wanted.kinds:
        if not any(one.kind == kind for one in found):
            raise _no_such_kind(kind, found)
    return tuple(one for one in found if not wanted.kinds or one.kind in wanted.kinds)


def _instances(account: Account, log: ClusterLog, node: str) -> set[str]:
    """Return the instances that are, or were, a node."""
    if ids := _named(log, node):
        return ids
    instance = instance_of_slurm_node(account, log.name, node)
    if instance is not None and (ids := _named(log, instance)):
        return ids
    hint = f"`trainyard logs {log.name} --region {log.region}` lists them; Slurm's names are known of nodes that run"
    raise InputError(f"{log.name} has no logs of a node {node!r}", where="--node", hint=hint)


def _named(log: ClusterLog, node: str) -> set[str]:
    return {one.parts.instance_id for one in log.streams if one.parts is not None and one.parts.is_of(node)}


def _no_such_kind(kind: str, found: tuple[Stream, ...]) -> InputError:
    kinds = sorted({one.kind for one in found})
    close = get_close_matches(kind, kinds, n=1)
    more = f" and {len(kinds) - _MOST_SHOWN} more" if len(kinds) > _MOST_SHOWN else ""
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(kinds[:_MOST_SHOWN])}{more}"
    return InputError(f"there is no log {kind!r}", where="--log", hint=hint)
