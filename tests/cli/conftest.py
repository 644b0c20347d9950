"""The command line, in this process and as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from trainyard.cli import main

# What changes colours, and when Python writes its streams.
UNUSUAL = ("NO_COLOR", "PYTHONUNBUFFERED")
PROGRAM = (sys.executable, "-m", "trainyard")


class Ran(NamedTuple):
    """What came of a command."""

    status: int | str | None
    out: str
    err: str


@pytest.fixture
def trainyard(capsys, monkeypatch, tmp_path) -> Callable[..., Ran]:
    """Return a function that runs a command in an empty folder and in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*arguments: str, standard_input: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["trainyard", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input.encode())))
        try:
            status: int | str | None = main()
        except SystemExit as stop:
            status = stop.code
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def process(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command as a process of its own, in an empty folder."""

    def run(
        *arguments: str, environment: dict[str, str] | None = None, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | more
        variables = {name: value for name, value in os.environ.items() if name not in UNUSUAL} | (environment or {})
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=tmp_path, text=True, check=False, env=variables, timeout=300, **streams
        )

    return run
