"""The gate runs the README's test command and lets no test be skipped for a reason that it could mend."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def gate(folder: Path, make: str) -> int:
    """Run the gate with a stand-in for make that prints and exits as told."""
    (folder / "make").write_text(f'#!/bin/sh\necho "make $*"\n{make}\n')
    (folder / "make").chmod(0o755)
    variables = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", ROOT / ".ci" / "run"], env=variables, capture_output=True, text=True, check=False, timeout=30
    )
    assert "make test\n" in ran.stdout
    return ran.returncode


@pytest.mark.parametrize(
    ("make", "status"),
    [
        pytest.param("echo '3 passed'", 0, id="passed"),
        pytest.param("echo '1 failed'; exit 2", 2, id="failed"),
        pytest.param("echo 'SKIPPED [1] tests/a.py:1: hardware: no GPU'; echo '3 passed'", 0, id="hardware is missing"),
        pytest.param("echo 'SKIPPED [1] tests/a.py:1: no network'; echo '3 passed'", 1, id="something else is missing"),
    ],
)
def test_the_gate_passes_only_what_really_ran(tmp_path: Path, make: str, status: int):
    assert gate(tmp_path, make) == status


def test_the_command_of_the_gate_is_one_that_the_readme_names():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
