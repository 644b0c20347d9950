"""A lab: the Slurm of a spec on this machine, in a folder of this user, until it is taken down.

Nothing of it is remembered elsewhere: its processes are found by its folder, so that after a call that was killed
``lab up`` and ``lab down`` still find and end what is its own.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import secrets
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from trainyard.counts import count_text
from trainyard.edge.cache_folder import folder_lock, state_folder
from trainyard.edge.watched_program import run_watched
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import quoted_or
from trainyard.lab.lab_accounting import (
    accounting_settings,
    refuse_without_database,
    slurmdbd_conf,
    start_accounting,
)  # fmt: skip
from trainyard.lab.lab_node import LabNode
from trainyard.lab.lab_process import LabProcess, daemons, job_processes, step_daemons
from trainyard.lab.slurm_conf import LabPlace, files
from trainyard.lab.slurm_programs import SlurmPrograms
from trainyard.stop_request import look

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,39}")
_LONGEST_SOCKET = 107  # https://man7.org/linux/man-pages/man7/unix.7.html
_GONE_WITHIN_S = 20.0
_AT_ONCE = 8
# Linux gives connections ports from 32768 on: https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html
_FIRST_PORT, _LAST_PORT = 17000, 32768
MONITORING_PORTS = 4
"""How many its monitoring takes: of the nodes' exporters, of Slurm's, of Prometheus and of the viewer."""
_SCRIPTS = Path(__file__).with_name("scripts")


class Lab(NamedTuple):
    """A lab, whether it runs or not."""

    name: str
    folder: Path
    nodes: tuple[LabNode, ...]
    programs: SlurmPrograms
    addresses: Mapping[str, str] = MappingProxyType({})
    """Where its monitoring answers, by what answers."""

    @property
    def variables(self) -> dict[str, str]:
        """Return what leads Slurm's commands there."""
        path = f"{self.folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    @property
    def is_running(self) -> bool:
        """Whether its slurmctld is there."""
        return any(process.name == "slurmctld" for process in daemons(self.folder))

    def run(self, *command: str, within_s: float = 60) -> str:
        """Run one of Slurm's commands there and return what it prints. Raises TrainyardError where it fails."""
        words = [str(self.folder / "bin" / command[0]), *command[1:]]
        done = run_watched(words, {**os.environ, **self.variables}, timeout_s=within_s)
        if done.timed_out:
            raise TrainyardError(f"{command[0]} has not answered for {within_s:g} s", where=self.name)
        if done.status:
            raise TrainyardError(f"{' '.join(command)}: {quoted_or(done.error, 'it says nothing')}", where=self.name)
        return done.output

    def start_node(self, node: str, *, booted: bool = False) -> None:
        """Start the slurmd of a node; ``booted`` says that it has just been powered up."""
        options = ["-b"] if booted else []
        self.run("slurmd", *options, "-N", node, "-f", str(self.folder / "slurm.conf"))


def labs() -> list[Lab]:
    """Return the labs that run, by name."""
    names = sorted(folder.name for folder in _folder().iterdir()) if _folder().is_dir() else []
    found = (read_lab(name) for name in names)
    return [one for one in found if one is not None and one.is_running]


def lab_of(name: str | None) -> Lab:
    """Return the lab of a name that runs; without a name the only one. Raises InputError where there is none."""
    running = labs()
    wanted = [one for one in running if name in (None, one.name)]
    if len(wanted) == 1:
        return wanted[0]
    there = ", ".join(one.name for one in running)
    if wanted:
        raise InputError("several labs run", where="NAME", hint=f"name one of them: {there}")
    what = "no lab runs" if name is None else f"no lab {name} runs"
    raise InputError(what, where=name, hint=f"there are: {there}" if there else "`trainyard lab up SPEC` starts one")


def read_lab(name: str) -> Lab | None:
    """Return a lab from its folder; None where there is none that can be read."""
    folder = _folder() / name
    try:
        values = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
        nodes = tuple(LabNode(**node) for node in values["nodes"])
        return Lab(name, folder, nodes, SlurmPrograms(**values["programs"]), values.get("addresses", {}))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def start(  # noqa: PLR0913  one for each option of `lab up`
    name: str,
    nodes: Sequence[LabNode],
    programs: SlurmPrograms,
    *,
    idle_s: int,
    accounting: bool,
    metrics: bool,
    tell: Callable[[str], None],
) -> Lab:
    """Start a lab and wait until all static nodes are idle. One of the same name that was cut off is cleaned first.

    ``metrics`` says whether exporters of its nodes and a Prometheus are started too.

    Raises InputError where one of this name runs or accounting misses a program, TrainyardError where it does not come
    up; then nothing stays.
    """
    folder = _folder() / name
    if accounting:
        refuse_without_database(programs)
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name", where="--as", hint="up to 40 letters, digits and hyphens")
    if len(f"{folder}/munge/sock") > _LONGEST_SOCKET:
        hint = "set TRAINYARD_STATE to a folder with a shorter path"
        raise InputError(f"the path of {folder} is too long for a socket", where=name, hint=hint)
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    with folder_lock(_folder() / ".lock", lambda: tell("waits for another call about labs")):
        former = read_lab(name)
        if former is not None and former.is_running and (folder / "up").exists():
            hint = f"`trainyard lab down {name}` ends it; --as NAME starts another beside it"
            raise InputError(f"lab {name} runs already", where=name, hint=hint)
        _remove(name, folder, tell)
        lab = Lab(name, folder, tuple(nodes), programs)
        try:
            port = _write(lab, idle_s, accounting=accounting)
            _start_daemons(lab, tell, accounting=accounting)
            if metrics:
                from trainyard.lab.lab_monitoring import start_monitoring  # noqa: PLC0415  only then: it is slow

                lab = lab._replace(addresses=start_monitoring(folder, name, lab.variables, port, tell))
                _remember(lab)
            (folder / "up").touch()
        except BaseException:
            _end(name, folder)
            raise
    return lab


def stop(lab: Lab, tell: Callable[[str], None] = lambda _: None) -> None:
    """End everything of a lab and remove its folder."""
    with folder_lock(_folder() / ".lock", lambda: tell("waits for another call about labs")):
        _remove(lab.name, lab.folder, tell)


def _folder() -> Path:
    return state_folder() / "labs"


def _remove(name: str, folder: Path, tell: Callable[[str], None]) -> None:
    count = _end(name, folder)
    if count:
        tell(f"{count_text(count, 'process', 'processes')} of lab {name} ended")
    shutil.rmtree(folder, ignore_errors=True)


def _end(name: str, folder: Path) -> int:
    """End all processes, the daemons first so that none starts another; return how many there were."""
    ended: set[int] = set()
    until = time.monotonic() + _GONE_WITHIN_S
    while time.monotonic() < until:
        left = _all_processes(name, folder)
        if not left:
            break
        for process in left:
            ended.add(process.id)
            _kill(process.id)
        time.sleep(0.05)
    return len(ended)


def _all_processes(name: str, folder: Path) -> list[LabProcess]:
    found = daemons(folder)
    if found or (folder / "lab.json").exists():
        in_jobs = job_processes(name)
        of_lab = [process for process in in_jobs if process.variables.get("SLURM_CONF", "").startswith(f"{folder}/")]
        found += [*step_daemons(folder), *of_lab]
    return found


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _write(lab: Lab, idle_s: int, *, accounting: bool) -> int:
    """Write the files of a lab, and return the first of the ports that are left for its monitoring."""
    folder = lab.folder
    for inner in ("bin", "gpus", "log", "munge", "pids", "sick", "spool", "state"):
        (folder / inner).mkdir(parents=True, mode=0o755)
    lab.programs.write(folder / "bin", folder)
    for script in _SCRIPTS.iterdir():
        (folder / "bin" / script.stem).write_bytes(script.read_bytes())
        (folder / "bin" / script.stem).chmod(0o755)
    host = socket.gethostname().split(".")[0]
    first = _free_ports(len(lab.nodes) + 2 + MONITORING_PORTS)
    last = first + len(lab.nodes) + 1
    programs = lab.programs
    place = LabPlace(lab.name, folder, host, getpass.getuser(), first, idle_s, programs.expedites, programs.has_blocks)
    written = dict(files(place, lab.nodes, accounting_settings(place, last) if accounting else ""))
    if accounting:
        written["slurmdbd.conf"] = slurmdbd_conf(place, last)
    for name, text in written.items():
        (folder / name).touch(mode=0o600 if name == "slurmdbd.conf" else 0o644)  # slurmdbd takes no other
        (folder / name).write_text(text, encoding="utf-8")
    for number in range(max((node.gpus for node in lab.nodes), default=0)):
        (folder / "gpus" / str(number)).touch()
    key = folder / "munge" / "key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    _remember(lab)
    return last + 1


def _remember(lab: Lab) -> None:
    values = {"nodes": [node._asdict() for node in lab.nodes], "programs": lab.programs._asdict()}
    (lab.folder / "lab.json").write_text(json.dumps({**values, "addresses": dict(lab.addresses)}), encoding="utf-8")


def _start_daemons(lab: Lab, tell: Callable[[str], None], *, accounting: bool) -> None:
    folder, place = lab.folder, lab.folder / "munge"
    own = [f"--{name}-file={place / name}" for name in ("key", "pid", "log", "seed")]
    lab.run("munged", "--force", f"--socket={place}/sock", *own)
    if accounting:
        start_accounting(folder, lab.name, getpass.getuser(), lab.variables)
    lab.run("slurmctld", "-c", "-f", str(folder / "slurm.conf"))
    static = [node.name for node in lab.nodes if node.is_static]
    tell(f"slurmctld runs; starts {count_text(len(static), 'node')}")
    with ThreadPoolExecutor(_AT_ONCE) as pool, _stopping(pool):
        for _ in pool.map(lab.start_node, static):
            look()
    _wait_for_nodes(lab, len(static), tell)


@contextmanager
def _stopping(pool: ThreadPoolExecutor) -> Iterator[None]:
    try:
        yield
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise


def _wait_for_nodes(lab: Lab, count: int, tell: Callable[[str], None]) -> None:
    until, told = time.monotonic() + 60 + count / 10, -1
    while (idle := _idle_static_nodes(lab)) < count:
        look()
        if time.monotonic() > until:
            log = lab.folder / "log" / "slurmctld.log"
            raise TrainyardError(
                f"{idle} of {count_text(count, 'node has', 'nodes have')} come up", where=lab.name, hint=f"see {log}"
            )
        if idle > told:
            tell(f"{idle} of {count_text(count, 'node is', 'nodes are')} idle")
            told = idle + count // 10
        time.sleep(0.2)


def _idle_static_nodes(lab: Lab) -> int:
    try:
        states = lab.run("sinfo", "--noheader", "--Node", "--format=%N %t").split("\n")
    except TrainyardError:  # slurmctld is coming up
        return 0
    static = {node.name for node in lab.nodes if node.is_static}
    return len({line.split()[0] for line in states if line.endswith(" idle") and line.split()[0] in static})


def _free_ports(count: int) -> int:
    """Return the first of so many ports of loopback that nobody has, below those that connections are given."""
    places = range(_FIRST_PORT, _LAST_PORT - count, count)
    begin: int = secrets.randbelow(len(places))  # a lab of another user may look for its own at the same time
    order: list[int] = [*places[begin:], *places[:begin]]
    for first in order:
        with ExitStack() as held, suppress(OSError):
            for port in range(first, first + count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise TrainyardError(f"no {count} ports of this machine that follow each other are free", where="lab")
