"""The accounting of a lab: slurmdbd, and a MariaDB of its own behind a socket that only its user reaches.

https://slurm.schedmd.com/accounting.html
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from trainyard.edge.watched_program import run_watched
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import quoted_or
from trainyard.lab.lab_process import daemons
from trainyard.lab.slurm_conf import LabPlace
from trainyard.lab.slurm_programs import SlurmPrograms
from trainyard.stop_request import look

_READY_WITHIN_S = 60.0
_BEGINS_WITHIN_S = 3.0
_DATABASE_MEMORY = "64M"


def refuse_without_database(programs: SlurmPrograms) -> None:
    """Raise InputError where slurmdbd or MariaDB are missing."""
    for name in ("slurmdbd", "mariadbd"):
        if not programs.has(name):
            hint = "on Debian and Ubuntu: apt-get install slurmdbd mariadb-server-core; or --no-accounting"
            raise InputError(f"{name} is not there, which accounting takes", where=programs.root or name, hint=hint)


def slurmdbd_conf(place: LabPlace, port: int) -> str:
    """Return slurmdbd.conf. https://slurm.schedmd.com/slurmdbd.conf.html."""
    return f"""\
AuthType=auth/munge
AuthInfo=socket={place.folder}/munge/sock
DbdHost={place.host}
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={place.user}
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser={place.user}
LogFile={place.folder}/log/slurmdbd.log
PidFile={place.folder}/slurmdbd.pid
"""


def accounting_settings(place: LabPlace, port: int) -> str:
    """Return what slurm.conf says of it."""
    return f"""\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={place.folder}/munge/sock
AccountingStorageTRES=gres/gpu"""


def start_accounting(folder: Path, cluster: str, user: str, variables: Mapping[str, str]) -> None:
    """Start both, and make the cluster known. Raises TrainyardError where they do not come up."""
    data = folder / "database"
    data.mkdir(mode=0o700)
    environment = {**os.environ, **variables, "MYSQL_UNIX_PORT": f"{data}/sock"}
    # Nobody but this user gets to the socket, so that the database needs no accounts, and has none.
    _run(folder, cluster, environment, "start-database", "--no-defaults", f"--user={user}", f"--datadir={data}",
         f"--socket={data}/sock", "--skip-networking", "--skip-grant-tables", f"--pid-file={folder}/mariadbd.pid",
         f"--innodb-buffer-pool-size={_DATABASE_MEMORY}", "--innodb-flush-log-at-trx-commit=2")  # fmt: skip
    log = folder / "log"
    _wait((data / "sock").exists, folder, log / "mariadbd.log")
    _run(folder, cluster, environment, "slurmdbd")
    known = [str(folder / "bin" / "sacctmgr"), "--immediate", "add", "cluster", cluster]
    _wait(lambda: not run_watched(known, environment, timeout_s=_READY_WITHIN_S).status, folder, log / "slurmdbd.log")


def _run(folder: Path, cluster: str, environment: Mapping[str, str], program: str, *arguments: str) -> None:
    done = run_watched([str(folder / "bin" / program), *arguments], environment, timeout_s=_READY_WITHIN_S)
    if done.status:
        raise TrainyardError(f"{program}: {quoted_or(done.error, 'it says nothing')}", where=cluster)


def _wait(is_ready: Callable[[], bool], folder: Path, log: Path) -> None:
    began = time.monotonic()
    while not is_ready():
        look()
        waited_s = time.monotonic() - began
        is_gone = waited_s > _BEGINS_WITHIN_S and all(process.name != log.stem for process in daemons(folder))
        if is_gone or waited_s > _READY_WITHIN_S:
            said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
            last = quoted_or(said[-1] if said else "", "it says nothing")
            raise TrainyardError(f"{log.stem} does not come up: {last}", where=folder.name, hint=f"see {log}")
        time.sleep(0.1)
