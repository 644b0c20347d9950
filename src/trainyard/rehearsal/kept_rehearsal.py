"""Kept rehearsals: emulated accounts that stay up beside each other until they are stopped, each with a folder.

The folder is this user's alone, below ``state_folder()``: what was rehearsed, the access key, the record of the
process, and the AWS configuration and kubeconfig that lead there.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.cache_folder import folder_lock, state_folder
from trainyard.errors import InputError, TrainyardError
from trainyard.platform_table import PLATFORMS
from trainyard.rehearsal.emulated.emulated_account import (
    KEY_VARIABLE,
    account_at,
    announced_port,
    refuse_missing_extra,
    server_variables,
)
from trainyard.rehearsal.kept_record import KeptRecord, read_record

NAME_VARIABLE = "TRAINYARD_REHEARSAL"
"""Says in a shell which kept rehearsal it is about, so that none is taken for AWS, nor AWS for one."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,59}")  # as clusters are named, and safe as a folder
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_KEY_LETTERS = 26  # of 5 bits
_GONE_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True)
class KeptRehearsal:
    """One of them, whether its process is still there or not."""

    name: str
    folder: Path
    region: str
    cluster: str
    """What was deployed into it first."""
    platform: str
    started: float
    """Seconds since 1970."""
    credentials: Mapping[str, str]
    record: KeptRecord

    @property
    def endpoint(self) -> str:
        """Where every service of the account answers."""
        return f"http://127.0.0.1:{self.record.port}"

    @property
    def account(self) -> Account:
        """The account that it is, with the programs that are emulated with it."""
        account = account_at(self.region, self.record.port, self.folder, self.credentials)
        for platform in PLATFORMS.values():
            account = platform.rehearsal().with_programs(account)
        return account

    def variables(self) -> dict[str, str]:
        """Return what leads every AWS program of a shell there, and kubectl too."""
        own = {NAME_VARIABLE: self.name, "KUBECONFIG": str(self.folder / "kubeconfig")}
        direct = {name: f"{os.environ[name]},127.0.0.1" for name in ("NO_PROXY", "no_proxy") if os.environ.get(name)}
        return {**self.account.variables(), **direct, **own}


def kept_rehearsals() -> list[KeptRehearsal]:
    """Return those whose process is there, the oldest first."""
    folders = _folder().iterdir() if _folder().is_dir() else ()
    kept = (_read(folder) for folder in folders)
    return sorted((one for one in kept if one and one.record.is_running), key=lambda one: one.started)


def kept_rehearsal(name: str) -> KeptRehearsal:
    """Return the one of this name. Raises TrainyardError where there is none, or its process is gone."""
    kept = _read(_folder() / name) if _NAME.fullmatch(name) else None
    if kept is not None and kept.record.is_running:
        return kept
    others = ", ".join(other.name for other in kept_rehearsals())
    what = "has ended" if kept is not None else "is not kept"
    raise TrainyardError(
        f"rehearsal {name} {what}",
        where=name,
        hint=f"kept are: {others}" if others else "`trainyard rehearse SPEC --keep` starts one",
    )


def current_rehearsal(variables: Mapping[str, str] = os.environ) -> KeptRehearsal | None:
    """Return the kept rehearsal that AWS_ENDPOINT_URL leads to; None where it leads elsewhere.

    Raises TrainyardError where the shell was set up for one that has ended, or for another one: what is meant for an
    emulation must not reach AWS.
    """
    endpoint, name = variables.get("AWS_ENDPOINT_URL"), variables.get(NAME_VARIABLE)
    if not (endpoint or name):
        return None
    kept = next((one for one in kept_rehearsals() if one.endpoint == endpoint), None)
    if name and (kept is None or kept.name != name):
        place = f"answers at {endpoint}" if endpoint else "is named by AWS_ENDPOINT_URL"
        raise TrainyardError(
            f"{NAME_VARIABLE} says {name}, and no such rehearsal {place}",
            where=NAME_VARIABLE,
            hint=f'`eval "$(trainyard rehearse {name})"` sets it again; in a new shell nothing is set',
        )
    return kept


@contextmanager
def new_rehearsal(
    name: str, region: str, about: Mapping[str, str], seeds: Mapping[str, Any]
) -> Iterator[KeptRehearsal]:
    """Start one, which stays when the block ends well, and is stopped where an error or Ctrl-C leaves it.

    ``about`` has what it is of: ``cluster`` and ``platform``. Raises InputError where one of this name is kept already,
    TrainyardError where it cannot be started or its folder cannot be written.
    """
    kept = _started(name, region, about, seeds)
    try:
        yield kept
    except BaseException:
        stop(kept)
        raise


def stop(kept: KeptRehearsal) -> None:
    """End the process, if it is still that one, and remove the folder."""
    if kept.record.is_running:
        os.kill(kept.record.process, signal.SIGKILL)  # it has nothing to save
        until = time.monotonic() + _GONE_WITHIN_S
        while kept.record.is_running and time.monotonic() < until:
            time.sleep(0.01)
    shutil.rmtree(kept.folder, ignore_errors=True)


def _started(name: str, region: str, about: Mapping[str, str], seeds: Mapping[str, Any]) -> KeptRehearsal:
    refuse_missing_extra()
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name", where="--as", hint="up to 60 letters, digits and hyphens")
    folder = _folder() / name
    try:
        _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        with folder_lock(_folder() / ".lock", lambda: None):
            former = _read(folder)
            if former is not None and former.record.is_running:
                hint = f"`trainyard rehearse {name} --stop` ends it; --as NAME keeps another beside it"
                raise InputError(f"a rehearsal {name} is kept already", where=name, hint=hint)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            try:
                _write_request(folder, region, about)
                _start_process(folder, region, seeds)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)  # a process that is there ends with it
                raise
    except OSError as error:
        hint = "make room or give yourself the right, or set TRAINYARD_STATE to another folder"
        problem = f"the rehearsal cannot be kept in {folder}: {error.strerror}"
        raise TrainyardError(problem, where=str(error.filename or folder), hint=hint) from error
    kept = _read(folder)
    if kept is None:
        raise TrainyardError(f"rehearsal {name} ended as soon as it had started", hint="start it again")
    return kept


def _write_request(folder: Path, region: str, about: Mapping[str, str]) -> None:
    key = "AKIA" + "".join(secrets.choice(_BASE32) for _ in range(_KEY_LETTERS))
    credentials = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secrets.token_urlsafe(30)}
    request = {"region": region, **about, "started": time.time(), "credentials": credentials}
    file = folder / "rehearsal.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps(request), encoding="utf-8")


def _start_process(folder: Path, region: str, seeds: Mapping[str, Any]) -> None:
    request = json.loads((folder / "rehearsal.json").read_text(encoding="utf-8"))
    variables = server_variables(region, folder, seeds)
    variables[KEY_VARIABLE] = request["credentials"]["AWS_ACCESS_KEY_ID"]
    with (
        (folder / "errors.txt").open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "trainyard.rehearsal.emulated.server", "--kept", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=variables,
            cwd=folder,
            start_new_session=True,  # Ctrl-C in the shell, or its end, is not for it
        ) as server,
    ):
        announced_port(server, folder / "errors.txt")  # its child goes on, and the process itself has ended


def _folder() -> Path:
    return state_folder() / "rehearsals"


def _read(folder: Path) -> KeptRehearsal | None:
    record = read_record(folder)
    try:
        values = json.loads((folder / "rehearsal.json").read_text(encoding="utf-8"))
        return record and KeptRehearsal(folder.name, folder, record=record, **values)
    except (OSError, ValueError, TypeError):
        return None
