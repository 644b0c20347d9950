"""Reads what PyTorch's flight recorder has dumped of ranks, and says which rank the others wait for.

A dump has the last collectives of one rank, as pickle or as JSON, which differ in little. Read on 2026-11-28:
https://github.com/pytorch/pytorch/blob/main/torch/csrc/distributed/c10d/FlightRecorderDetail.hpp, and dumps of torch
2.13 (their version 2.10). Durations are there where TORCH_NCCL_ENABLE_TIMING was set.
"""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import islice
from statistics import median
from typing import Any, ClassVar, NamedTuple, TypeGuard

from trainyard.foreign_text import word_or_quoted
from trainyard.training.stragglers.rank_times import Place
from trainyard.training.stragglers.verdict import LEAST_SLOWDOWN

MOST_BYTES = 32_000_000
"""Of a dump: 2,000 entries, which most runs keep, with their stacks have some 3 MB."""

_MOST_ENTRIES = 100_000
_LEAST_COMPARED = 20
_MOST_NAMED = 8
_MOST_NUMBER = 2**63
# One text can be many names in a pickle, and only its first mention takes room there.
_MOST_CHARACTERS, _MOST_GROUPS, _MOST_OF_RANKS = 500, 10_000, 10_000_000
# What a dump consists of: no opcode that names, makes or calls anything, or that takes room before it has read.
_OPCODES = (
    *(pickle.PROTO, pickle.STOP, pickle.MARK, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE, pickle.EMPTY_DICT),
    *(pickle.EMPTY_LIST, pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3),
    *(pickle.APPEND, pickle.APPENDS, pickle.SETITEM, pickle.SETITEMS, pickle.BININT, pickle.BININT1, pickle.BININT2),
    *(pickle.LONG1, pickle.BINFLOAT, pickle.BINUNICODE, pickle.SHORT_BINUNICODE, pickle.BINPUT, pickle.LONG_BINPUT),
    *(pickle.BINGET, pickle.LONG_BINGET, pickle.MEMOIZE),
)
_DAMAGES = (pickle.UnpicklingError, EOFError, LookupError, TypeError, ValueError, AttributeError, OverflowError,
            RecursionError, MemoryError, struct.error)  # fmt: skip


class Call(NamedTuple):
    """A collective that a rank has called."""

    group: str
    sequence: int
    """Counted from 1 in its group, alike on all its ranks."""
    name: str
    state: str
    """scheduled, started or completed."""
    created_ms: float
    duration_ms: float | None


class RankDump(NamedTuple):
    """The last calls of a rank."""

    rank: int
    calls: tuple[Call, ...]
    members: dict[str, tuple[int, ...]]
    """The ranks of each group, as far as it says so."""


class _PlainUnpickler(pickle._Unpickler):  # noqa: SLF001  the one in Python has no other name
    """Makes dicts, lists, texts and numbers; the faster one in C takes room for as large an index as is written."""

    stack: list[Any]
    dispatch: ClassVar[dict[int, Any]] = {opcode[0]: pickle._Unpickler.dispatch[opcode[0]] for opcode in _OPCODES}  # noqa: SLF001  as above

    def _load_setitem(self) -> None:
        self._refuse_keys(self.stack[-2:-1])
        pickle._Unpickler.load_setitem(self)  # type: ignore[attr-defined]  # noqa: SLF001  as above

    def _load_setitems(self) -> None:
        self._refuse_keys(self.stack[::2])
        pickle._Unpickler.load_setitems(self)  # type: ignore[attr-defined]  # noqa: SLF001  as above

    def _refuse_keys(self, keys: Iterable[object]) -> None:
        """Raise where a key is no text or number: a tuple in a tuple in a tuple ends Python when it is hashed."""
        if not all(isinstance(key, str | int | float | None) for key in keys):
            raise pickle.UnpicklingError("a key is no text")

    dispatch[pickle.SETITEM[0]] = _load_setitem
    dispatch[pickle.SETITEMS[0]] = _load_setitems


def rank_dump(rank: int, content: bytes) -> RankDump:
    """Return what a dump says. Raises ValueError where it is none."""
    try:
        is_json = content.lstrip()[:1] == b"{"
        data = json.loads(content) if is_json else _PlainUnpickler(BytesIO(content)).load()
    except _DAMAGES as error:
        raise ValueError("it is no dump of a flight recorder") from error
    entries = data.get("entries", []) if isinstance(data, dict) else None
    if not isinstance(entries, list) or not isinstance(data, dict) or "version" not in data:
        raise ValueError("it is no dump of a flight recorder")
    calls = (_call(entry) for entry in entries[-_MOST_ENTRIES:] if isinstance(entry, dict))
    return RankDump(rank, tuple(call for call in calls if call is not None), dict(_members(data.get("pg_config"))))


def _call(entry: Mapping[str, Any]) -> Call | None:
    """Return the collective of an entry; None of what two ranks send each other, and of what is none."""
    group, sequence = _group_name(entry.get("process_group")), entry.get("collective_seq_id")
    name, state = entry.get("profiling_name"), entry.get("state")
    if entry.get("is_p2p") or group is None or not _is_name(name) or not isinstance(state, str):
        return None
    if not isinstance(sequence, int) or not 0 < sequence < _MOST_NUMBER:
        return None
    # Gloo has no events that are asked: what it is done with is retired. Of NCCL that may as well have timed out.
    if name.startswith("gloo:") and entry.get("retired") is True:
        state = "completed"
    created_ms = (_number(entry.get("time_created_ns")) or 0.0) / 1e6
    return Call(group, sequence, name, state, created_ms, _number(entry.get("duration_ms")))


def _group_name(parts: object) -> str | None:
    """Return the name of a process group with its description; None where it has none."""
    if not isinstance(parts, list | tuple) or len(parts) != 2 or not all(map(_is_name, parts)):
        return None
    return str(parts[0]) if parts[1] in {"", "undefined"} else f"{parts[0]}:{parts[1]}"


def _members(config: object) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the ranks of each group, which are written as text: [0, 1, 2]."""
    left = _MOST_OF_RANKS
    for told in islice(config.values(), _MOST_GROUPS) if isinstance(config, dict) else ():
        group = _group_name((told.get("name"), told.get("desc"))) if isinstance(told, dict) else None
        ranks = told.get("ranks") if isinstance(told, dict) else None
        if group and isinstance(ranks, str) and (left := left - len(ranks)) >= 0:
            words = (word.strip() for word in ranks.strip("[]").split(","))
            yield group, tuple(int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 9)


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= _MOST_CHARACTERS


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST_NUMBER
    return float(value) if is_number and isinstance(value, int | float) else None


def flight_values(dumps: Sequence[RankDump], places: Mapping[int, Place]) -> dict[str, Any]:
    """Return what the report shows of dumps: ranks that are behind, and ranks for which others wait again and again."""
    groups = list(_groups(dumps))
    stuck = [group for group in groups if group.behind]
    # Who waits in one group for others is late in another one only for that.
    waiting = {rank for group in stuck for rank in group.waiting}
    found = [(rank, group) for group in stuck for rank in group.behind]
    roots = [(rank, group) for rank, group in found if rank not in waiting] or found
    late, compared = _late(dumps)
    return {
        "dumps": len(dumps),
        "behind": [{**_place(rank, places), **group.told(rank)} for rank, group in roots],
        "late": [{**_place(rank, places), **told} for rank, told in late],
        "compared": compared,
        "notes": list(_notes(dumps, groups)),
    }


def _groups(dumps: Sequence[RankDump]) -> Iterator[_Group]:
    """Yield the groups in which something was called, with the calls of each rank; nothing of one that has none."""
    dumped, calls = {dump.rank for dump in dumps}, dict[str, dict[int, list[Call]]]()
    for dump in dumps:
        for name, ranks in dump.members.items():
            of_ranks = calls.setdefault(name, {})
            for rank in dumped.intersection(ranks):
                of_ranks.setdefault(rank, [])
    for dump in dumps:
        for call in dump.calls:
            calls.setdefault(call.group, {}).setdefault(dump.rank, []).append(call)
    yield from (_Group(name, of_ranks) for name, of_ranks in sorted(calls.items()) if any(of_ranks.values()))


class _Group:
    """How far the ranks of a process group are.

    Programs call ahead of their GPU, so the collective in which they wait is the first one that is not completed, and
    not the last one that was called.
    """

    def __init__(self, name: str, calls: Mapping[int, Sequence[Call]]) -> None:
        self.name = name
        self._last = {rank: max((call.sequence for call in own), default=0) for rank, own in calls.items()}
        pending = {rank: _pending(own) for rank, own in calls.items()}
        self.sequence = min((sequence for own in pending.values() for sequence in own), default=0)
        self._there = {rank: own[self.sequence] for rank, own in pending.items() if self.sequence in own}
        self.waiting = list(self._there)
        not_called = [rank for rank, last in self._last.items() if last < self.sequence]
        # All have called it, and on some it does not begin: their GPU has other work before it.
        has_begun = any(call.state != "scheduled" for call in self._there.values())
        not_begun = [rank for rank, call in self._there.items() if has_begun and call.state == "scheduled"]
        self.behind = not_called or not_begun

    @property
    def collective(self) -> str:
        """What it is called in which they wait."""
        return next((call.name for call in self._there.values()), "")

    @property
    def ranks(self) -> int:
        """How many ranks it has whose dumps are there."""
        return len(self._last)

    @property
    def is_stuck_inside(self) -> bool:
        """Return whether all its ranks are in the same collective, and none is behind."""
        return 0 < len(self.waiting) == self.ranks and all(call.state == "started" for call in self._there.values())

    def told(self, rank: int) -> dict[str, Any]:
        """Return how far a rank is that is behind."""
        return {
            "group": self.name, "collective": self.collective, "sequence": self.sequence,
            "last_sequence": self._last[rank], "waiting": sum(other != rank for other in self.waiting),
        }  # fmt: skip


def _pending(calls: Sequence[Call]) -> dict[int, Call]:
    """Return what a rank has called and not completed, by number: what comes before a completed one is completed."""
    done = max((call.sequence for call in calls if call.state == "completed"), default=0)
    return {call.sequence: call for call in calls if call.sequence > done}


def _late(dumps: Sequence[RankDump]) -> tuple[list[tuple[int, dict[str, float]]], int]:
    """Return the ranks that come last to most collectives of a group, and how many collectives were compared.

    A collective lasts on each rank from when it begins there until all have come: shortest on the one that came last.
    """
    by_call: dict[str, dict[int, dict[int, float]]] = {}
    times_ms: dict[str, list[float]] = {}
    for dump in dumps:
        for call in dump.calls:
            if call.duration_ms is not None and call.state == "completed":
                by_call.setdefault(call.group, {}).setdefault(call.sequence, {})[dump.rank] = call.duration_ms
                times_ms.setdefault(call.group, []).append(call.created_ms)
    late: dict[int, dict[str, float]] = {}
    compared = 0
    for group, calls in by_call.items():
        ranks = max(len(durations) for durations in calls.values())
        common = [durations for durations in calls.values() if len(durations) == ranks > 1]
        if len(common) < _LEAST_COMPARED:
            continue
        compared += len(common)
        lost_ms: dict[int, list[float]] = {}
        for durations in common:
            last = min(durations, key=durations.__getitem__)
            others = [taken_ms for rank, taken_ms in durations.items() if rank != last]
            lost_ms.setdefault(last, []).append(median(others) - durations[last])
        whole_ms = max(max(times_ms[group]) - min(times_ms[group]), 1e-9)
        for rank, lost in lost_ms.items():
            told = {"share": len(lost) / len(common), "waits": min(sum(lost) / whole_ms, 1.0)}
            if told["share"] >= 0.5 and told["waits"] >= max(LEAST_SLOWDOWN, late.get(rank, told)["waits"]):
                late[rank] = told
    return sorted(late.items(), key=lambda one: -one[1]["waits"]), compared


def _place(rank: int, places: Mapping[int, Place]) -> dict[str, Any]:
    return places.get(rank, Place(rank, ""))._asdict()


def _notes(dumps: Sequence[RankDump], groups: Iterable[_Group]) -> Iterator[str]:
    known = {rank for dump in dumps for ranks in dump.members.values() for rank in ranks}
    missing = sorted(known - {dump.rank for dump in dumps})
    if missing:
        more = "" if len(missing) <= _MOST_NAMED else f" and {len(missing) - _MOST_NAMED:,} more"
        yield f"no dump of rank {', '.join(map(str, missing[:_MOST_NAMED]))}{more}: look at it first"
    for group in groups:
        if group.is_stuck_inside:
            yield (
                f"all {group.ranks:,} ranks are in {word_or_quoted(group.collective)} {group.sequence} of "
                f"{word_or_quoted(group.name)}, and none is behind: look at what is between them, such as EFA"
            )
