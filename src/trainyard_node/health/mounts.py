"""File systems: what is mounted where, and whether it answers."""

from __future__ import annotations

import re
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

from trainyard_node.processes import TIMED_OUT

if TYPE_CHECKING:
    from trainyard_node.places import Places
    from trainyard_node.processes import Ran
    from trainyard_node.world import World

TIMEOUT_S = 3.0
# A child that ends when it is told to has ended by then.
WITHIN_S = 4.0


class Mount(NamedTuple):
    """A file system in its place."""

    place: str
    kind: str
    """Such as lustre or ext4."""
    read_only: bool


def mount_at(places: Places, place: str) -> Mount | None:
    """Return what is mounted at a place: the last of those that are, as it hides the others. Raises OSError."""
    text = places.at("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    found = None
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) >= 4 and _plain(fields[1]) == place:
            found = Mount(place, fields[2], "ro" in fields[3].split(","))
    return found


def _plain(field: str) -> str:
    """Return a field without its escapes: https://man7.org/linux/man-pages/man3/getmntent.3.html."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def trouble_with(world: World, place: str, within_s: float = WITHIN_S) -> str:
    """Return why a file system does not answer, or nothing where it does.

    A child asks it for its size, and a thread waits for the child: where the server is gone, the child can hang in the
    kernel, from where not even SIGKILL brings it back. Nobody is asked again while it hangs.
    """
    ran = _asking(world, place).answer(within_s)
    if ran is None or ran.status == TIMED_OUT:
        return f"it does not answer within {TIMEOUT_S:g} s"
    return "" if ran.status == 0 else ran.output.strip() or f"stat ended with status {ran.status}"


class _Question:
    def __init__(self, world: World, place: str) -> None:
        self._ran: Ran | None = None
        self._thread = Thread(target=self._ask, args=(world, place), daemon=True)
        self._thread.start()

    def is_open(self) -> bool:
        return self._thread.is_alive()

    def answer(self, within_s: float) -> Ran | None:
        self._thread.join(within_s)
        return self._ran

    def _ask(self, world: World, place: str) -> None:
        self._ran = world.processes.run(["stat", "--file-system", str(world.places.at(place))], TIMEOUT_S)


_open: dict[str, _Question] = {}
_lock = Lock()


def _asking(world: World, place: str) -> _Question:
    with _lock:
        key = str(world.places.at(place))
        question = _open.get(key)
        if question is None or not question.is_open():
            question = _open[key] = _Question(world, place)
        return question
