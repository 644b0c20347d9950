"""What NCCL's RAS says in JSON, as figures: which GPUs are missing, and which communicators have not got on.

RAS counts the collectives that each rank has launched in each communicator. Counts that differ are usual while work is
under way; counts that differ and are the same a minute later are a communicator that is stuck.
https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html#json-output
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard_node.samples import Samples

Counts = Mapping[str, tuple[int, ...]]
"""How many collectives the ranks of each communicator have launched, by the communicator and in their order."""
Gpu = tuple[str, str]
"""A host, by its address, and the number of a GPU there."""
# ncclSuccess and ncclInProgress: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/types.html#ncclresult-t
_FINE = (0, 7)
_MOST_NAMED = 64
# Where more than a quarter are behind, it is no outlier that holds up the others: as RAS itself counts them.
_OUTLIERS = 0.25
_REASONS = ("dead", "unresponsive", "other")


class RasStatus(NamedTuple):
    """What one answer says."""

    first_host: str
    """Of the rank with the lowest number in the largest communicator."""
    gpus: frozenset[Gpu]
    """Those whose processes answered."""
    missing: Mapping[Gpu, str]
    """Those that did not, and why."""
    failed: frozenset[Gpu]
    """Those of which a communicator reports an error."""
    behind: frozenset[Gpu]
    """Those that have launched fewer collectives than most others of a communicator that is stuck."""
    communicators: int
    stuck: int
    timeouts: int
    counts: Counts


def ras_status(answer: Mapping[str, Any], before: Counts) -> RasStatus:
    """Return what an answer says, beside the counts of the answer before. Raises ValueError, KeyError or TypeError."""
    communicators = answer["communicators"]
    missing: dict[Gpu, str] = {}
    gpus: set[Gpu] = set()
    failed: set[Gpu] = set()
    counts: dict[str, tuple[int, ...]] = {}
    stuck: list[Mapping[str, Any]] = []
    for communicator in communicators:
        gpus.update(map(_gpu, communicator["ranks"]))
        failed.update(_gpu(rank) for rank in communicator["ranks"] if _has_failed(rank["status"]))
        for rank in communicator["missing_ranks"]:
            missing[_gpu(rank)] = _worse(missing.get(_gpu(rank)), _reason(rank["status"]))
        name, launched = _name(communicator), tuple(map(_launched, communicator["ranks"]))
        counts[name] = launched
        if len(set(launched)) > 1 and before.get(name) == launched:
            stuck.append(communicator)
    behind = frozenset(gpu for communicator in stuck for gpu in _behind(communicator))
    timeouts = int(answer["ras"]["timeouts_count"])
    # A process that answers in one communicator may be missing in another that it has left.
    gone = {gpu: why for gpu, why in missing.items() if why != "other" or gpu not in gpus}
    return RasStatus(
        _first_host(communicators), frozenset(gpus), gone, frozenset(failed), behind, len(communicators), len(stuck),
        timeouts, counts,
    )  # fmt: skip


def add_status(samples: Samples, status: RasStatus) -> None:
    """Add what a status says, with the GPUs that something is wrong with by name."""
    prefix = "trainyard_nccl_ras_"
    samples.add(f"{prefix}gpus", len(status.gpus))
    for reason in _REASONS:
        samples.add(f"{prefix}gpus_missing", sum(why == reason for why in status.missing.values()), reason)
    samples.add(f"{prefix}gpus_failed", len(status.failed))
    samples.add(f"{prefix}communicators", status.communicators)
    samples.add(f"{prefix}communicators_stuck", status.stuck)
    samples.add(f"{prefix}timeouts", status.timeouts)
    for (peer, gpu), problem in list(_problems(status))[:_MOST_NAMED]:
        samples.add(f"{prefix}gpu_problem", 1, peer, gpu, problem)


def _problems(status: RasStatus) -> Iterator[tuple[Gpu, str]]:
    order = {reason: at for at, reason in enumerate(_REASONS)}
    yield from sorted(status.missing.items(), key=lambda each: (order[each[1]], each[0]))
    yield from ((gpu, "failed") for gpu in sorted(status.failed))
    yield from ((gpu, "behind") for gpu in sorted(status.behind))


def _name(communicator: Mapping[str, Any]) -> str:
    return f"{communicator['hash']} {communicator['secondary_hash']}"


def _gpu(rank: Mapping[str, Any]) -> Gpu:
    return str(rank["host"])[:64], str(int(rank["nvml_dev"]))


def _launched(rank: Mapping[str, Any]) -> int:
    return sum(int(count) for count in rank["collective_counts"].values())


def _has_failed(status: Mapping[str, Any]) -> bool:
    return status["init_state"] not in _FINE or status["async_error"] not in _FINE


def _reason(status: Mapping[str, Any]) -> str:
    return "dead" if status["considered_dead"] else "unresponsive" if status["unresponsive"] else "other"


def _worse(one: str | None, other: str) -> str:
    return other if one is None else min(one, other, key=_REASONS.index)


def _behind(communicator: Mapping[str, Any]) -> Iterator[Gpu]:
    """Yield the GPUs with fewer collectives than the furthest rank, where these are few."""
    ranks = communicator["ranks"]
    furthest = max(map(_launched, ranks))
    late = [rank for rank in ranks if _launched(rank) < furthest]
    if len(late) <= max(1, _OUTLIERS * len(ranks)):
        yield from map(_gpu, late)


def _first_host(communicators: list[Mapping[str, Any]]) -> str:
    largest = max(communicators, key=lambda communicator: int(communicator["size"]), default=None)
    ranks = [] if largest is None else largest["ranks"]
    first = min(ranks, key=lambda rank: int(rank["rank"]), default=None)
    return "127.0.0.1" if first is None else str(first["host"])
