"""How far a run has come, from the last lines of the progress of its first rank."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trainyard.training.programs.trainyard_progress import SHOWN

_STEPS = 50


class RunProgress(NamedTuple):
    """What the lines say; what they do not say is None."""

    step: int | None = None
    loss: float | None = None
    step_s: float | None = None
    """The median of the last steps."""
    time: float | None = None
    """Of the last line: Unix time by the clock of the node."""
    event: str | None = None
    """The last event, such as save_begin, where it is the last line."""
    checkpoint: int | None = None
    """The last step with a whole checkpoint."""
    attempt: int | None = None
    """The start that wrote the last line, counted from 0."""


def run_progress(text: str) -> RunProgress:
    """Return what lines say. Lines that are none, such as the half one that the text begins with, are left out."""
    lines = list(_lines(text))
    if not lines:
        return RunProgress()
    steps = [line for line in lines if "event" not in line and isinstance(line.get("step"), int)]
    saved = [line["step"] for line in lines if line.get("event") == "save_end" and isinstance(line.get("step"), int)]
    starts = [line.get("attempt") for line in lines if line.get("event") == "start"]
    times = sorted(number for line in steps[-_STEPS:] if (number := _number(line.get("step_seconds"))) is not None)
    return RunProgress(
        step=steps[-1]["step"] if steps else None,
        loss=_number(steps[-1].get("loss")) if steps else None,
        step_s=times[len(times) // 2] if times else None,
        time=_number(lines[-1].get("time")),
        event=str(lines[-1]["event"]) if "event" in lines[-1] else None,
        checkpoint=saved[-1] if saved else None,
        attempt=starts[-1] if starts and isinstance(starts[-1], int) else None,
    )


def shown_progress(log: Sequence[str]) -> str:
    """Return the lines of progress that are shown in a log, as if they were those of a file."""
    return "\n".join(line.partition(SHOWN)[2] for line in log if SHOWN in line)


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
    except ValueError:
        return None
