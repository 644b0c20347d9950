"""File systems: what is mounted where, and whether it answers."""

from __future__ import annotations

import re
from threading import Lock, Thread
from typing import NamedTuple

from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.processes import TIMED_OUT, Ran

TIMEOUT_S = 3.0
# A child that ends when it is told to has ended by then.
GRACE_S = 1.0


class Mount(NamedTuple):
    """A file system in its place."""

    place: str
    kind: str
    """Such as lustre or ext4."""
    read_only: bool


def mount_at(places: Places, place: str) -> Mount | None:
    """Return what is mounted at a place: the last of those that are, as it hides the others. Raises OSError."""
    text = places.at("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    mount = None
    for line in text.splitlines():
        mount = _mount(line, place) or mount
    return mount


def _mount(line: str, place: str) -> Mount | None:
    """Return what a line says of a place.

    Only what stands last, the options of the file system itself, says whether it can be written: the options of the
    mount say ro to every service with ProtectSystem=strict, which sees its own mounts of everything.
    https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
    https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#ProtectSystem=
    """
    of_mount, _, of_system = line.partition(" - ")
    where, (kind, *options) = of_mount.split(" "), of_system.split(" ")
    if len(where) < 6 or len(options) < 2 or _plain(where[4]) != place:
        return None
    return Mount(place, kind, "ro" in options[-1].split(","))


def _plain(field: str) -> str:
    """Return a field without its escapes: https://man7.org/linux/man-pages/man3/getmntent.3.html."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


class MountProblem(NamedTuple):
    """What is wrong with a file system."""

    text: str
    is_silence: bool
    """It did not answer at all, rather than with an error."""


def trouble_with(
    world: World, place: str, timeout_s: float = TIMEOUT_S, grace_s: float = GRACE_S
) -> MountProblem | None:
    """Return why a file system does not answer, or nothing where it does.

    A child asks it for its size, and a thread waits for the child: where the server is gone, the child can hang in the
    kernel, from where not even SIGKILL brings it back. Nobody is asked again while it hangs.
    """
    ran = _asking(world, place, timeout_s).answer(timeout_s + grace_s)
    if ran is None or ran.status == TIMED_OUT:
        return MountProblem(f"it does not answer within {timeout_s:g} s", is_silence=True)
    if ran.status == 0:
        return None
    return MountProblem(ran.output.strip() or f"stat ended with status {ran.status}", is_silence=False)


class _MountProbe:
    def __init__(self, world: World, place: str, timeout_s: float) -> None:
        self._ran: Ran | None = None
        self._thread = Thread(target=self._ask, args=(world, place, timeout_s), daemon=True)
        self._thread.start()

    def is_open(self) -> bool:
        return self._thread.is_alive()

    def answer(self, within_s: float) -> Ran | None:
        self._thread.join(within_s)
        return self._ran

    def _ask(self, world: World, place: str, timeout_s: float) -> None:
        self._ran = world.processes.run(["stat", "--file-system", str(world.places.at(place))], timeout_s)


_open: dict[str, _MountProbe] = {}
_lock = Lock()


def _asking(world: World, place: str, timeout_s: float) -> _MountProbe:
    with _lock:
        key = str(world.places.at(place))
        question = _open.get(key)
        if question is None or not question.is_open():
            question = _open[key] = _MountProbe(world, place, timeout_s)
        return question
