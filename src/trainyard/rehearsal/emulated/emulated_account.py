"""Starts an emulated AWS account on this machine, hands it out as an Account, and stops it."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service
from botocore.config import Config
from botocore.session import Session

from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.stop_request import LOOK_EVERY_S, look

HINT = "pip install 'trainyard[rehearse]'"
SEEDS_VARIABLE = "TRAINYARD_EMULATED_SEEDS"
KEY_VARIABLE = "TRAINYARD_EMULATED_KEY"
"""Tells a server the one access key whose calls it answers; without it, it answers everybody on this machine."""
KEY_HEADER = "X-Trainyard-Key"
"""Carries the access key in calls of trainyard's own that nothing signs."""
_START_WITHIN_S = 60.0
_PROFILE, _CONFIG = "emulated", "config"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIAEMULATEDACCOUNT0", "AWS_SECRET_ACCESS_KEY": "emulated"}
# What of the user's environment a program needs to run at all. Nothing of AWS, and no proxies.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")


class EmulatedAccount(Account):
    """An account that is on this machine. Neither proxies nor the AWS configuration of the user reach it."""

    def variables(self) -> dict[str, str]:
        """Return what sends another program here, whatever the user has configured."""
        return {**super().variables(), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}

    @cached_property
    def _session(self) -> Any:
        session = Session()
        for name, value in (
            ("config_file", self.credentials["AWS_CONFIG_FILE"]),
            ("credentials_file", os.devnull),
            ("profile", _PROFILE),
            ("use_fips_endpoint", False),
            ("use_dualstack_endpoint", False),
        ):
            session.set_config_variable(name, value)
        session.set_default_client_config(Config(proxies={}, s3={"addressing_style": "path"}))
        session.set_credentials(self.credentials["AWS_ACCESS_KEY_ID"], self.credentials["AWS_SECRET_ACCESS_KEY"])
        return boto3.Session(botocore_session=session, region_name=self.region)


@contextmanager
def emulated_account(region: str, *, seeds: Mapping[str, Any] | None = None) -> Iterator[Account]:
    """Start an account, hand it out, and stop it whatever happens.

    ``seeds``, from ``seeds.py``, is what exists there at first. Raises TrainyardError where the extra is missing or
    nothing starts.
    """
    refuse_missing_extra()
    with tempfile.TemporaryDirectory(prefix="trainyard-emulated-") as folder:
        variables = server_variables(region, Path(folder), seeds)
        errors = (Path(folder) / "errors.txt").open("w+b")
        with (
            errors,
            subprocess.Popen(
                [sys.executable, "-m", "trainyard.rehearsal.emulated.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=variables,
            ) as server,
        ):
            try:
                port = announced_port(server, Path(folder) / "errors.txt")
                yield account_at(region, port, Path(folder), CREDENTIALS)
            finally:
                server.kill()  # it has nothing to save, and leaving the block waits for it


def refuse_missing_extra() -> None:
    """Raise TrainyardError where what emulates accounts is not installed."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        raise TrainyardError("the emulated account is not installed", hint=HINT)


def server_variables(region: str, folder: Path, seeds: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the environment of a server, whose files go into a folder: nothing of the user's AWS is in it."""
    (folder / _CONFIG).write_text(f"[profile {_PROFILE}]\nregion = {region}\n", encoding="utf-8")
    inherited = {name: os.environ[name] for name in _KEPT if name in os.environ}
    configured = _configuration(region, folder, CREDENTIALS)
    del configured["AWS_PROFILE"]  # moto makes sessions of its own, without a configuration
    file = folder / "seeds.json"
    file.write_text(json.dumps(seeds or {"region": region}), encoding="utf-8")
    planted = {SEEDS_VARIABLE: str(file)} if seeds else {}
    account = {"MOTO_ACCOUNT_ID": str(seeds["account_id"])} if seeds and "account_id" in seeds else {}
    return {**inherited, **configured, **planted, **account}


def _configuration(region: str, folder: Path, credentials: Mapping[str, str]) -> dict[str, str]:
    """Return variables that point every AWS program to the configuration in a folder, which is this account's own."""
    return {
        "AWS_CONFIG_FILE": str(folder / _CONFIG),
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_PROFILE": _PROFILE,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        **credentials,
    }


def account_at(region: str, port: int, folder: Path, credentials: Mapping[str, str]) -> Account:
    """Return the account that a server is, whose AWS configuration goes into a folder."""
    variables = _configuration(region, folder, credentials)
    return EmulatedAccount(region, endpoint=f"http://127.0.0.1:{port}", credentials=variables)


def announced_port(server: subprocess.Popen[bytes], errors: Path) -> int:
    """Wait until the server says where it listens. Raises TrainyardError where it never does."""
    assert server.stdout is not None  # noqa: S101  # it was asked for
    until = time.monotonic() + _START_WITHIN_S
    line = b""
    while not line.endswith(b"\n"):
        look()
        left_s = until - time.monotonic()
        readable, _, _ = select.select([server.stdout], [], [], min(max(left_s, 0), LOOK_EVERY_S))
        if not readable and left_s > 0:
            continue
        more = os.read(server.stdout.fileno(), 4096) if readable else b""
        if not more:
            last_lines = errors.read_text(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            problem = f"the emulated account did not start: {last_lines[0]}"
            raise TrainyardError(problem, hint=f"install it anew: {HINT}")
        line += more
    return int(json.loads(line)["port"])
