"""Reads the lines that a rank has written, as src/trainyard/training/programs/trainyard_progress.py describes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any

from trainyard.training.ledger.attempt import LOAD, SAVE, STEP, Session

# Beyond it a number is none that a clock or a counter shows, and no array holds it.
_MOST = 2**53
_PHASES = {"save_begin": SAVE, "save_end": SAVE, "load_begin": LOAD, "load_end": LOAD}


def sessions_of(lines: Iterable[bytes | str]) -> list[Session]:
    """Return what each process has told, in the order of the lines. What is no whole line is left out."""
    reader = _Reader()
    decode = json.JSONDecoder().decode  # json.loads would look for an encoding first, in each of a million lines
    for text in lines:
        try:
            line = decode(text if isinstance(text, str) else text.decode())
        except (ValueError, RecursionError):
            continue
        now_ms = _milliseconds(line.get("time")) if isinstance(line, dict) else None
        if now_ms is not None:
            reader.take(line, now_ms)
    reader.end_phase()
    return reader.sessions


class _Reader:
    """Takes one line after another; a checkpoint that is begun is open until its end is told."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.phase: tuple[int, int] | None = None

    def take(self, line: dict[str, Any], now_ms: int) -> None:
        event = line.get("event")
        if event == "start" or not self.sessions:
            self.end_phase()
            self.sessions.append(_begun(line, now_ms))
        session = self.sessions[-1]
        if event is None:
            _add_step(session, line, now_ms)
        elif event == "end":
            session.reason = str(line.get("reason", "done"))
        elif isinstance(event, str) and event in _PHASES:
            self._take_phase(event, _whole(line.get("step"), -1), now_ms)
        session.end_ms = max(session.end_ms, now_ms)

    def _take_phase(self, event: str, number: int, now_ms: int) -> None:
        kind = _PHASES[event]
        if event.endswith("_begin"):
            self.end_phase()
            self.phase = (kind, now_ms)
            return
        begin_ms = self.phase[1] if self.phase is not None and self.phase[0] == kind else now_ms
        self.sessions[-1].add(kind, number, begin_ms, max(now_ms, begin_ms))
        self.phase = None

    def end_phase(self) -> None:
        """End what was begun and never ended: no checkpoint came of it."""
        if self.phase is not None:
            kind, begin_ms = self.phase
            self.sessions[-1].add(kind, -1, begin_ms, max(self.sessions[-1].end_ms, begin_ms))
            self.phase = None


def _begun(line: dict[str, Any], now_ms: int) -> Session:
    session = Session(now_ms, str(line.get("node", "")), _whole(line.get("rank"), 0))
    if line.get("event") == "start":
        session.job = str(line["job"]) if line.get("job") not in (None, "") else None
        session.attempt = _whole(line.get("attempt"), -1)
        session.world_size = _whole(line.get("world_size"), 0) or None
        gpus = line.get("gpus")
        session.gpu_names = tuple(str(gpu) for gpu in gpus[:16]) if isinstance(gpus, list) else ()
    return session


def _add_step(session: Session, line: dict[str, Any], now_ms: int) -> None:
    number = _whole(line.get("step"), -1)
    if number < 0:
        return
    taken = _milliseconds(line.get("step_seconds"))
    begin_ms = session.ends[-1] if taken is None and session.ends else now_ms - (taken or 0)
    session.add(STEP, number, begin_ms, now_ms, _amount(line.get("tokens")), _amount(line.get("flops")))


def _milliseconds(seconds: Any) -> int | None:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return round(seconds * 1000) if is_number and 0 <= seconds < _MOST / 1000 else None


def _whole(value: Any, otherwise: int) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if is_whole else otherwise


def _amount(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e300 and isfinite(value) else 0.0
