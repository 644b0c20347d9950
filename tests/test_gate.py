"""The gate runs the README's test command and lets no test be skipped for a reason that it could mend."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def gate(folder: Path, make: str) -> subprocess.CompletedProcess[str]:
    """Run the gate with a stand-in for make that prints and exits as told."""
    (folder / "make").write_text(f'#!/bin/sh\necho "make $*"\n{make}\n')
    (folder / "make").chmod(0o755)
    variables = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(["bash", ROOT / ".ci" / "run"], env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("make", "status"),
    [
        pytest.param("echo '3 passed'", 0, id="passed"),
        pytest.param("echo '1 failed'; exit 2", 2, id="failed"),
        pytest.param("[ $1 = test ] || exit 2", 2, id="a part of the exhaustive tests failed"),
        pytest.param("echo 'SKIPPED [1] tests/a.py:1: hardware: no GPU'; echo '3 passed'", 0, id="hardware is missing"),
        pytest.param("echo 'SKIPPED [1] tests/a.py:1: no network'; echo '3 passed'", 1, id="something else is missing"),
        pytest.param("echo 'SKIPPED [1] tests/a.py:1: no more hardware: none'", 1, id="hardware stands elsewhere"),
    ],
)
def test_the_gate_passes_only_what_really_ran(tmp_path: Path, make: str, status: int):
    ran = gate(tmp_path, make)
    assert ran.returncode == status
    assert ran.stdout.startswith("make test\n")


def test_oracles_that_are_not_here_are_listed_at_the_end(tmp_path: Path):
    skipped = "SKIPPED [1] tests/a.py:1: oracle: no schema"
    ran = gate(tmp_path, f"[ $1 != test ] || echo '{skipped}'; echo '3 passed'")
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, skipped)


def test_the_gate_runs_the_day_s_part_of_the_exhaustive_tests(tmp_path: Path):
    assert re.search(r"^make test-slice SLICE=[1-9]\d{0,2}$", gate(tmp_path, "").stdout, re.MULTILINE)


def test_every_file_that_is_to_begin_is_there():
    tests = ROOT / "tests"
    assert [file for file in (tests / "longest_files.txt").read_text().split() if not (tests / file).is_file()] == []


def test_the_command_of_the_gate_is_one_that_the_readme_names():
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
