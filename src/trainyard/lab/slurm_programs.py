"""The programs of Slurm that a lab runs: those of this machine, or those of another Debian in a folder."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.watched_program import run_watched
from trainyard.errors import InputError, TrainyardError

PROGRAMS = (
    "mariadbd", "munged", "sacct", "sacctmgr", "sbatch", "scancel", "scontrol", "sdiag", "sinfo", "slurmctld", "slurmd",
    "slurmdbd", "squeue", "sreport", "srun",
)  # fmt: skip
_NEEDED = ("munged", "slurmctld", "slurmd")
_WHERE = ("usr/sbin", "usr/bin", "sbin", "bin")
# What a root has of its own, which this machine's would hide.
_OWN = tuple(Path("/", place) for place in (*_WHERE, "usr/lib", "lib", "lib64", "etc"))
_ANSWERS_WITHIN_S = 30


class SlurmPrograms(NamedTuple):
    """Where they are."""

    root: str = ""
    """A whole system in a folder, as debootstrap makes it; empty for this machine."""
    shared: tuple[str, ...] = ()
    """Folders of this machine that are seen inside too."""

    @property
    def version(self) -> str:
        """Return the version of Slurm, such as 24.11.5. Raises TrainyardError where slurmctld says none."""
        words = [*self._inside(), "slurmctld", "-V"] if self.root else [_found("slurmctld"), "-V"]
        said = run_watched(words, os.environ, timeout_s=_ANSWERS_WITHIN_S).output.split()
        if not said:
            raise TrainyardError("slurmctld says no version", where=self.root or words[0])
        return said[-1]

    @property
    def expedites(self) -> bool:
        """Whether this Slurm can start jobs again before all others. https://slurm.schedmd.com/news.html."""
        return self._is_from(25, 11)

    @property
    def has_blocks(self) -> bool:
        """Whether this Slurm knows blocks of nodes. https://slurm.schedmd.com/topology.html."""
        return self._is_from(23, 11)

    def _is_from(self, *release: int) -> bool:
        numbers = self.version.split(".")
        return all(number.isdigit() for number in numbers[:2]) and tuple(map(int, numbers[:2])) >= release

    def has(self, program: str) -> bool:
        """Whether one of this name is there."""
        if self.root:
            return any((Path(self.root) / place / program).exists() for place in _WHERE)
        return _find(program) is not None

    def write(self, folder: Path, lab: Path) -> None:
        """Write a program of each name into a folder, which leads to the real one."""
        for name in PROGRAMS:
            found = name if self.root else _find(name)
            if found is not None:
                (folder / name).write_text(self.script(lab, found), encoding="utf-8")
                (folder / name).chmod(0o755)

    def script(self, lab: Path, program: str) -> str:
        """Return a shell script that runs a program with its arguments, within the root where there is one."""
        if not self.root:
            return f'#!/bin/sh\nexec {shlex.quote(program)} "$@"\n'
        shared = shlex.join([str(lab), *self.shared])
        return _IN_ROOT.format(root=shlex.quote(self.root), shared=shared, name=shlex.quote(program))

    def _inside(self) -> list[str]:
        return ["chroot", self.root]


# A mount namespace for each program: what is mounted ends with it.
_IN_ROOT = """\
#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec unshare --mount bash -c '
set -e
root="$1" count="$2"
shift 2
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /etc/hosts "$root/etc/hosts"
for ((; count > 0; count--)); do
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  shift
done
[ -d "$root$PWD" ] || cd /
exec chroot "$root" env -C "$PWD" "$@"
' lab {root} "$(set -- {shared}; echo $#)" {shared} {name} "$@"
"""


def slurm_programs(root: str | None, share: Sequence[str] = ()) -> SlurmPrograms:
    """Return those of this machine, or of a root, whose jobs see the folders ``share`` too.

    Raises InputError where some are missing, or rights for a root.
    """
    if root is None:
        missing = [name for name in _NEEDED if _find(name) is None]
        if missing:
            hint = "on Debian and Ubuntu: apt-get install slurm-wlm munge; or name a root with a newer one: --root"
            raise InputError(f"{missing[0]} is not on this machine", where=missing[0], hint=hint)
        return SlurmPrograms()
    folder = Path(root).resolve()
    missing = [name for name in _NEEDED if not SlurmPrograms(str(folder)).has(name)]
    if missing:
        hint = "debootstrap --include=slurmctld,slurmd,slurm-client,munge SUITE FOLDER makes one"
        raise InputError(f"there is no {missing[0]} in {folder}", where="--root", hint=hint)
    if os.geteuid() != 0:
        raise InputError("programs of another root take root", where="--root", hint="leave it out, or use sudo")
    own = (Path.cwd(), Path.home(), Path(sys.prefix), Path(sys.base_prefix), Path(tempfile.gettempdir()))
    asked = [Path(place).resolve() for place in share]
    if hiding := ", ".join(str(place) for place in asked if _hides_root(place)):
        hint = "share a folder of your own, such as the one of an environment of Python"
        raise InputError(f"{hiding} of this machine would hide what {folder} has there", where="--share", hint=hint)
    # A Python of this machine's system is not seen inside: it is of another Debian.
    shared = dict.fromkeys(str(place) for place in (*own, *asked) if not _hides_root(place))
    return SlurmPrograms(str(folder), tuple(shared))


def _hides_root(place: Path) -> bool:
    return any(own.is_relative_to(place) for own in _OWN)


def _find(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")


def _found(name: str) -> str:
    found = _find(name)
    if found is None:
        raise TrainyardError(f"{name} is not on this machine", where=name)
    return found
