"""What lines of several ranks tell of a collective that did not end: which rank is not where the others are.

PyTorch counts the collectives of each process group:
https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_GROUP_AND_RANK = re.compile(r"\[(?:(PG [^\]]{1,200}?) )?Rank ([0-9]{1,6})\]", re.IGNORECASE)
_AT_WORK = re.compile(r"(?:detected by watchdog at work(?: sequence id)?|Timeout at NCCL work): ([0-9]{1,18})\b")
_ENQUEUED = re.compile(r"last enqueued (?:NCCL )?work: ([0-9]{1,18})\b")
_OPERATION = re.compile(r"WorkNCCL\(SeqNum=([0-9]{1,18}), OpType=([A-Z_]{1,60})\b")
_OF_ALL_RANKS = re.compile(r"\(default_pg\)|^PG 0$")
_FEWEST_REPORTS = 3
"""As many ranks have to report a timeout before one that does not stands out."""
_MOST_MISSING = 3
_MOST_RANGES = 8


class _Reports(NamedTuple):
    """What lines of several ranks tell, by process group and number of the collective."""

    enqueued: Mapping[tuple[str, str], Mapping[int, int]]
    """The last collective that each rank had begun."""
    operations: Mapping[tuple[str, str], Mapping[int, str]]
    ranks: Mapping[str, set[int]]


def rank_sentences(texts: Iterable[str], *, is_complete: bool) -> Iterator[str]:
    """Yield what the lines of a timeout tell of single ranks. is_complete: whether they are all that there are."""
    reports = _reports(texts)
    for (_, number), last_by_rank in reports.enqueued.items():
        if slow := _behind(last_by_rank):
            least, most = min(last_by_rank.values()), max(last_by_rank.values())
            yield (
                f"{_ranks(slow)} had begun no collective after {least} when {number} timed out, others had begun up to"
                f" {most}: look there first."
            )
    for (_, number), names in reports.operations.items():
        yield from _different(number, names)
    if is_complete:
        yield from _silent(reports.ranks)


def ranks_behind(texts: Iterable[str]) -> frozenset[int]:
    """Return the ranks that had begun fewer collectives of a group than most when one of them timed out."""
    return frozenset(rank for last_by_rank in _reports(texts).enqueued.values() for rank in _behind(last_by_rank))


def rank_of(text: str) -> int | None:
    """Return the rank that a line about a collective is of."""
    found = _GROUP_AND_RANK.search(text)
    return int(found[2]) if found else None


def _reports(texts: Iterable[str]) -> _Reports:
    enqueued: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    operations: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    ranks: dict[str, set[int]] = defaultdict(set)
    for text in texts:
        if not (found := _GROUP_AND_RANK.search(text)):
            continue
        group, rank = found[1] or "", int(found[2])
        if (work := _AT_WORK.search(text)) and (last := _ENQUEUED.search(text)):
            enqueued[group, work[1]][rank] = int(last[1])
            ranks[group].add(rank)
        # Numbers are those of one group, which older versions do not name here.
        if group and (operation := _OPERATION.search(text)):
            operations[group, operation[1]][rank] = operation[2]
    return _Reports(enqueued, operations, ranks)


def _behind(last_by_rank: Mapping[int, int]) -> list[int]:
    least, most = min(last_by_rank.values()), max(last_by_rank.values())
    slow = [rank for rank, last in last_by_rank.items() if last == least]
    return slow if least < most and len(slow) * 2 < len(last_by_rank) else []


def _different(number: str, name_by_rank: Mapping[int, str]) -> Iterator[str]:
    ranks_by_name: dict[str, list[int]] = defaultdict(list)
    for rank, name in name_by_rank.items():
        ranks_by_name[name].append(rank)
    if len(ranks_by_name) > 1:
        told = ", ".join(f"{name} on {_ranks(ranks).lower()}" for name, ranks in ranks_by_name.items())
        yield f"Collective {number} is {told}: these ranks do not run the same code, or not on the same data."


def _silent(reports: Mapping[str, set[int]]) -> Iterator[str]:
    for group, ranks in reports.items():
        last = max(ranks)
        is_told = _OF_ALL_RANKS.search(group) and len(ranks) >= _FEWEST_REPORTS
        if is_told and 0 < last + 1 - len(ranks) <= _MOST_MISSING:
            silent = {*range(last)} - ranks
            yield f"{_ranks(silent)} did not report the timeout, and all others up to {last} did: look there first."


def _ranks(ranks: Iterable[int]) -> str:
    """Return ranks in words, such as: Ranks 0-2, 5."""
    parts: list[list[int]] = []
    for rank in sorted(ranks):
        if parts and parts[-1][-1] == rank - 1:
            parts[-1][1:] = [rank]
        else:
            parts.append([rank])
    is_one = len(parts) == 1 and len(parts[0]) == 1
    more = ", …" if len(parts) > _MOST_RANGES else ""
    return f"Rank{'' if is_one else 's'} {', '.join('-'.join(map(str, part)) for part in parts[:_MOST_RANGES])}{more}"
