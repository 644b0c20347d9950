"""Which streams of a cluster are asked for: by their nodes or jobs, and by what is logged in them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import ClusterLog, Stream

_MOST_SHOWN = 20


class LogSelection(NamedTuple):
    """What is asked for; everything where nothing is said."""

    nodes: tuple[str, ...] = ()
    """Host names, instance ids, or names that Slurm gives to nodes; of jobs of AWS Batch the indexes of nodes."""
    kinds: tuple[str, ...] = ()
    """Such as slurmctld, or of jobs nccl."""
    jobs: tuple[str, ...] = ()
    """Ids or names of jobs of AWS Batch; of EKS, of those whose pods are meant."""
    pods: tuple[str, ...] = ()
    """Of EKS: POD or NAMESPACE/POD, with * for anything."""


def selected_streams(account: Account, log: ClusterLog, selection: LogSelection) -> tuple[Stream, ...]:
    """Return the streams that are asked for. Raises InputError where there is none of a job, a node or a kind."""
    streams = log.platform.streams_of(account, log, selection)
    for kind in selection.kinds:
        if not any(stream.kind == kind for stream in streams):
            raise _no_such_kind(kind, streams)
    return tuple(stream for stream in streams if not selection.kinds or stream.kind in selection.kinds)


def _no_such_kind(kind: str, streams: tuple[Stream, ...]) -> InputError:
    kinds = sorted({stream.kind for stream in streams})
    close = get_close_matches(kind, kinds, n=1)
    more = f" and {len(kinds) - _MOST_SHOWN} more" if len(kinds) > _MOST_SHOWN else ""
    listed = f"there are {', '.join(kinds[:_MOST_SHOWN])}{more}" if kinds else "there are none at all so far"
    hint = f"did you mean {close[0]}?" if close else listed
    return InputError(f"there is no log {kind!r}", where="--log", hint=hint)
