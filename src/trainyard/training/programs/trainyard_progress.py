"""One optional line a step, from which `trainyard run watch` and `run report` know how a training run goes.

One file without dependencies, for Python 3.9 or later: copy it beside the training program, or let `trainyard run
submit` do it, and write

    from trainyard_progress import Progress
    progress = Progress()
    for step in ...:
        ...
        progress.step(step, loss=loss, tokens=tokens)

Where TRAINYARD_PROGRESS names no folder nothing is written, so that the same program runs anywhere. Nothing here ever
raises or stops a run: lines that cannot be written, on a full disk for instance, are counted and left out.

The format
----------
Each rank appends to a file of its own, `<checkpoints>/<run>/progress/rank-<n>.jsonl`, one JSON object a line, over all
attempts of the run. A reader takes the lines that are whole JSON objects and leaves out the others: a process that is
killed can leave half a line, which the next attempt ends. Every line has

    "time"   Unix time in seconds, of the clock of the node, when what it tells of had ended
    "rank"   the number of the process in the run
    "node"   the name of the node, as Slurm has it, or its host name

A step has, as far as the program says it (what is not known is left out):

    "step"          its number, counted from 0 over all attempts; a resumed run repeats what it had lost
    "step_seconds"  how long it took; if the program does not say it, since the end of the line before in this process
    "compute_seconds"  what this rank itself computed of that, without waiting for other ranks: which ranks are slow
                    shows here only. A part will do that all ranks measure alike, such as the forward pass.
    "loss"          a number, or "nan", "inf", "-inf"
    "tokens"        what this rank has trained on in this step
    "flops"         floating point operations that the model takes for these tokens

An event has "event" in place of "step_seconds":

    "start"                     the process has started; with "attempt", "job", "world_size" and "gpus", as far as known
                                (the names of the GPUs of its node, as the driver has them), the number of its own
                                "gpu" in the node, and its "stage" of a pipeline
    "load_begin", "load_end"    a checkpoint is read; the end has the "step" that training goes on with
    "save_begin", "save_end"    a checkpoint is written; both have the "step" that it holds; without its end it is none
    "end"                       the process ends by itself; with "reason": "done", "signal" or "error"

Steps that come faster than twice a second are gathered for up to half a second; events are written at once.

Where TRAINYARD_HANG_S is set, a process that after its first step tells of nothing for so many seconds ends itself: it
hangs. Where its threads stand is written to its standard error before, by faulthandler, which no lock of Python stops.
Where TRAINYARD_SHOW_S is set, the first process of each node shows every so many seconds in its standard output the
newest start, checkpoint and step. Both are for containers, which no script of a batch job watches.
"""

from __future__ import annotations

import atexit
import faulthandler
import glob
import json
import math
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_GATHER_S = 0.5
_RANKS = ("RANK", "SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "JOB_COMPLETION_INDEX")
_WORLD_SIZES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE")
_ATTEMPTS = ("SLURM_RESTART_COUNT", "AWS_BATCH_JOB_ATTEMPT", "JOBSET_RESTART_ATTEMPT", "TORCHELASTIC_RESTART_COUNT")
_GPUS = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK")
_JOBS = ("SLURM_JOB_ID", "AWS_BATCH_JOB_ID", "TRAINYARD_JOB")

SHOWN = "trainyard-progress "
"""How lines begin that are shown in the output."""


class Progress:
    """The progress of one rank."""

    def __init__(
        self, folder: Any = None, rank: int | None = None, node: str | None = None, stage: int | None = None
    ) -> None:
        """Begin to write below ``folder``, by default what TRAINYARD_PROGRESS names; without either, nothing."""
        self.folder = str(folder or os.environ.get("TRAINYARD_PROGRESS", ""))
        self.rank = int(rank if rank is not None else _first(_RANKS, "0"))
        self.node = node or os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        self.lines_lost, self._is_half = 0, False
        self._file: int | None = None
        self._gathered: list[dict[str, Any]] = []
        self._written_at, self._last = 0.0, time.monotonic()
        self._hang_s = _number_of("TRAINYARD_HANG_S")
        self._show_s = _number_of("TRAINYARD_SHOW_S") if _first(_GPUS, "0") == "0" else 0.0
        self._newest: dict[str, Any] = {}
        self._watched_at = self._shown_at = 0.0
        if self.folder:
            self._open()
            known = {"attempt": _first(_ATTEMPTS), "job": _first(_JOBS), "world_size": _first(_WORLD_SIZES),
                     "gpu": _first(_GPUS), "stage": stage}  # fmt: skip
            more = {key: _number(str(value)) for key, value in known.items() if value is not None}
            gpus = gpu_names()
            self.event("start", **({**more, "gpus": gpus} if gpus else more))
            atexit.register(self.flush)

    def step(
        self,
        step: int,
        step_seconds: float | None = None,
        loss: Any = None,
        tokens: int | None = None,
        flops: float | None = None,
        compute_seconds: float | None = None,
    ) -> None:
        """Tell of a step that has ended. A ``loss`` that lies on a GPU is waited for: give a number you have anyway."""
        if self._file is None:
            return
        now = time.monotonic()
        line: dict[str, Any] = {"time": time.time(), "rank": self.rank, "node": self.node, "step": step}
        line["step_seconds"] = round(now - self._last if step_seconds is None else step_seconds, 6)
        self._last = now
        if loss is not None:
            line["loss"] = _finite(float(loss))
        if tokens is not None:
            line["tokens"] = tokens
        if flops is not None:
            line["flops"] = flops
        if compute_seconds is not None:
            line["compute_seconds"] = round(compute_seconds, 6)
        self._gathered.append(line)
        self._newest["step"] = line
        if self._hang_s and now - self._watched_at > self._hang_s / 40:
            self._watch(now)
        if now - self._written_at >= _GATHER_S:
            self._write(now)

    def event(self, event: str, **more: Any) -> None:
        """Tell of an event, with what else is known about it."""
        if self._file is None:
            return
        self._last = time.monotonic()
        line = {"time": time.time(), "rank": self.rank, "node": self.node, "event": event, **more}
        self._gathered.append(line)
        self._newest[event] = line
        if self._watched_at:
            self._watch(self._last)
        self._write(self._last)

    @contextmanager
    def save(self, step: int) -> Iterator[None]:
        """Tell of a checkpoint that is written within: of its end only where nothing was raised."""
        self.event("save_begin", step=step)
        yield
        self.event("save_end", step=step)

    def end(self, reason: str = "done") -> None:
        """Tell that the process ends by itself."""
        self.event("end", reason=reason)
        if self._watched_at:
            faulthandler.cancel_dump_traceback_later()
            self._watched_at = 0.0

    def flush(self) -> None:
        """Write what was gathered."""
        self._write(time.monotonic())

    def _open(self) -> None:
        try:
            os.makedirs(self.folder, exist_ok=True)  # noqa: PTH103  pathlib takes longer to import than all of this
            place = os.path.join(self.folder, f"rank-{self.rank}.jsonl")  # noqa: PTH118  as above
            self._file = os.open(place, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            size = os.fstat(self._file).st_size
            if size and os.pread(self._file, 1, size - 1) != b"\n":
                os.write(self._file, b"\n")  # a process that was killed has left half a line
        except OSError:
            self.lines_lost += 1

    def _watch(self, now: float) -> None:
        """Let the process end itself unless it tells of something in time."""
        try:
            faulthandler.dump_traceback_later(self._hang_s, exit=True)
            self._watched_at = now
        except (AttributeError, OSError, RuntimeError, ValueError):  # it has no standard error
            self._hang_s = 0.0

    def _show(self) -> None:
        newest, self._newest = self._newest, {}
        try:
            for kind in ("start", "save_end", "step"):
                if kind in newest:
                    print(SHOWN + json.dumps(newest[kind], default=str), flush=True)
        except (OSError, ValueError):
            self._show_s = 0.0

    def _write(self, now: float) -> None:
        gathered, self._gathered, self._written_at = self._gathered, [], now
        if not gathered or self._file is None:
            return
        try:
            lines = "".join(json.dumps(line, separators=(",", ":"), default=str) + "\n" for line in gathered)
            content = f"\n{lines}".encode() if self._is_half else lines.encode()
            written = os.write(self._file, content)
            # A disk that is full takes a part. What is written next must not be added to half a line.
            self._is_half = written < len(content)
            self.lines_lost += content.count(b"\n", written)
        except (OSError, ValueError, TypeError):
            self.lines_lost += len(gathered)
        if self._show_s and now - self._shown_at >= self._show_s:
            self._shown_at = now
            self._show()


def gpu_names(places: str = "/proc/driver/nvidia/gpus/*/information") -> list[str]:
    """Return the names of the GPUs of this node, each once, as its driver tells them."""
    names: set[str] = set()
    try:
        for place in glob.glob(places):  # noqa: PTH207  as above
            with open(place, errors="replace") as lines:  # noqa: PTH123  as above
                names.update(line[6:].strip() for line in lines if line.startswith("Model:"))
    except OSError:
        return []
    return sorted(names)


def _number_of(variable: str) -> float:
    try:
        return max(float(os.environ.get(variable) or 0), 0.0)
    except ValueError:
        return 0.0


def _first(names: Sequence[str], otherwise: Any = None) -> Any:
    return next((os.environ[name] for name in names if os.environ.get(name)), otherwise)


def _number(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
