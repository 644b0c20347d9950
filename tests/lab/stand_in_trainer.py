"""Trains nothing, as torch would: ranks that wait for each other, shards of a state, checkpoints and lines of progress.

    python3 stand_in_trainer.py CHECKPOINTS UNTIL      on each node, as a launch script

It starts in a twentieth of a second, so that many faults can be injected where one of torch can. The state follows from
every step and every rank's share of it, so a start from a checkpoint that mixes steps shows in all later losses. The
ranks meet at MASTER_ADDR:MASTER_PORT and exchange a sum each step; one that is gone fails the others, one that is
frozen stops them. It ends once the file UNTIL exists.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

INTERVAL = 10
RANKS_PER_NODE = 2
_STEP_S, _SAVE_S = 0.1, 0.3
_KEEP = 2
_MODULUS = 2**48
_JOINS_WITHIN_S = 60.0


def next_state(state: int, rank: int, total: int) -> int:
    """Return the state of a rank behind a step; ``total`` is the sum of what all had before it."""
    return (state * 25_214_903_917 + 11 + rank + total) % _MODULUS


def first_states(ranks: int) -> list[int]:
    """Return what ranks begin with."""
    return [1000 * (rank + 1) for rank in range(ranks)]


def loss_of(total: int, ranks: int) -> float:
    """Return the loss of a step."""
    return total / ranks / _MODULUS


class Exchange:
    """Sums over all ranks: rank 0 takes the numbers of the others and tells them the sum."""

    def __init__(self, rank: int, ranks: int) -> None:
        """Wait for all others."""
        place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        self._others: list[socket.socket] = []
        if rank == 0:
            with socket.create_server(place, backlog=ranks) as server:
                server.settimeout(_JOINS_WITHIN_S)
                self._others = [server.accept()[0] for _ in range(ranks - 1)]
            for other in self._others:
                other.settimeout(None)
        else:
            self._first = _connected(place)

    def total(self, number: int) -> int:
        """Return the sum of all numbers. Raises OSError where a rank is gone."""
        if self._others:
            number += sum(_read(other) for other in self._others)
            for other in self._others:
                other.sendall(number.to_bytes(16, "big"))
            return number
        self._first.sendall(number.to_bytes(16, "big"))
        return _read(self._first)


def _connected(place: tuple[str, int]) -> socket.socket:
    end = time.monotonic() + _JOINS_WITHIN_S
    while True:
        try:
            found = socket.create_connection(place, timeout=_JOINS_WITHIN_S)
            found.settimeout(None)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return found


def _read(other: socket.socket) -> int:
    content = b""
    while len(content) < 16:
        part = other.recv(16 - len(content))
        if not part:
            raise ConnectionResetError("a rank is gone")
        content += part
    return int.from_bytes(content, "big")


def _newest(folder: Path) -> int:
    """Return the step of the newest checkpoint that is whole, 0 without one."""
    for place in sorted(folder.glob("step-*[0-9]"), reverse=True):
        try:
            sizes = json.loads((place / "manifest.json").read_text())
            if all((place / name).stat().st_size == size for name, size in sizes.items()):
                return int(place.name.partition("-")[2])
        except (OSError, ValueError):
            continue
        _say(f"{place} is not whole and is left out")
    return 0


def _attempt(work: Callable[[], None], step: int) -> int:
    """Return 1 where a part of the checkpoint of a step could not be written."""
    try:
        work()
    except OSError as error:
        _say(f"no checkpoint of step {step}: {error}")
        return 1
    return 0


def _save(folder: Path, rank: int, exchange: Exchange, step: int, state: int) -> bool:
    """Write a checkpoint, each rank its part and rank 0 what names it; return whether it is there."""
    partial, whole = folder / f"step-{step:09d}.partial", folder / f"step-{step:09d}"

    def write() -> None:
        partial.mkdir(exist_ok=True)
        (partial / f"rank-{rank}").write_text(f"{state:020d}" * 100)
        time.sleep(_SAVE_S)

    def finish() -> None:
        sizes = {file.name: file.stat().st_size for file in partial.iterdir()}
        (partial / "manifest.json").write_text(json.dumps(sizes))
        shutil.rmtree(whole, ignore_errors=True)
        partial.rename(whole)

    failed = exchange.total(_attempt(write, step))
    failed += exchange.total(_attempt(finish, step) if rank == 0 and not failed else 0)
    if rank == 0:
        shutil.rmtree(partial, ignore_errors=True)
        for old in sorted(folder.glob("step-*[0-9]"))[:-_KEEP] if not failed else ():
            shutil.rmtree(old, ignore_errors=True)
    return not failed


def _train(folder: Path, until: Path, rank: int, ranks: int) -> None:
    from trainyard_progress import Progress  # noqa: PLC0415  only ranks have it beside them

    exchange, progress = Exchange(rank, ranks), Progress(rank=rank)
    if rank == 0:
        _attempt(lambda: folder.mkdir(parents=True, exist_ok=True), 0)
        for left in folder.glob("*.partial"):
            shutil.rmtree(left, ignore_errors=True)
    begin = exchange.total(_newest(folder) if rank == 0 else 0)
    state, step = first_states(ranks)[rank], begin
    if begin:
        progress.event("load_begin")
        state = int((folder / f"step-{begin:09d}" / f"rank-{rank}").read_text()[:20])
        progress.event("load_end", step=begin)
    while True:
        time.sleep(_STEP_S)
        total = exchange.total(state)
        state = next_state(state, rank, total)
        progress.step(step, loss=loss_of(total, ranks))
        step += 1
        if step % INTERVAL == 0:
            progress.event("save_begin", step=step)
            if _save(folder, rank, exchange, step, state):
                progress.event("save_end", step=step)
            if exchange.total(int(rank == 0 and until.exists())):
                progress.end("done")
                return


def _say(words: str) -> None:
    sys.stdout.write(f"stand-in: {words}\n")
    sys.stdout.flush()


def _start_ranks() -> int:
    """Start the ranks of this node, and end all of them where one has failed, as torchrun does."""
    first, count = int(os.environ["NODE_RANK"]) * RANKS_PER_NODE, int(os.environ["NNODES"]) * RANKS_PER_NODE
    ranks = [
        subprocess.Popen(
            [sys.executable, *sys.argv],
            env={**os.environ, "RANK": str(first + number), "LOCAL_RANK": str(number), "WORLD_SIZE": str(count)},
        )
        for number in range(RANKS_PER_NODE)
    ]
    while True:
        states = [rank.poll() for rank in ranks]
        if any(states) or None not in states:
            break
        time.sleep(0.1)
    for rank in ranks:
        rank.kill()
        rank.wait()
    return 1 if any(states) else 0


def main() -> int:
    """Train as one rank, or start those of a node."""
    if "LOCAL_RANK" not in os.environ:
        return _start_ranks()
    _train(Path(sys.argv[1]), Path(sys.argv[2]), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
