"""Programs that are read: what they may cost, however they misbehave."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from trainyard_node.errors import NodeError
from trainyard_node.programs import RealPrograms

pytestmark = pytest.mark.integration


def program(folder: Path, python: str) -> str:
    file = folder / "squeue"
    file.write_text(f"#!{sys.executable}\n{python}\n")
    file.chmod(0o755)
    return str(file)


def read(command: str, timeout_s: float = 10.0, most_bytes: int = 1 << 20) -> bytes:
    return RealPrograms().read([command], timeout_s, most_bytes, {"SAID": "yes"})


def test_output_and_complaints_are_kept_apart(tmp_path: Path):
    code = "import os, sys; sys.stderr.write('x' * 300_000); sys.stdout.write(os.environ['SAID'] + 'y' * 300_000)"
    assert read(program(tmp_path, code)) == b"yes" + b"y" * 300_000


def test_a_program_that_fails_is_quoted(tmp_path: Path):
    with pytest.raises(NodeError, match="status 3: slurm_load_jobs error"):
        read(
            program(
                tmp_path, "import sys; print('half'); sys.exit(print('slurm_load_jobs error', file=sys.stderr) or 3)"
            )
        )


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path):
    pid = tmp_path / "pid"
    code = "import subprocess; print(1, flush=True); child = subprocess.Popen(['sleep', '600'])\n"
    code += f"open({str(pid)!r}, 'w').write(str(child.pid)); child.wait()"
    with pytest.raises(NodeError, match="took longer than 1 s"):
        read(program(tmp_path, code), timeout_s=1)
    wait_until(lambda: not _runs(int(pid.read_text())))


def test_a_program_that_closes_its_output_and_stays_is_ended(tmp_path: Path):
    with pytest.raises(NodeError, match=r"took longer than 0\.5 s"):
        read(program(tmp_path, "import os, time; os.close(1); os.close(2); time.sleep(600)"), timeout_s=0.5)


@pytest.mark.parametrize("code", ["while True: print('x' * 65536)", "import sys; sys.stdout.write('x' * 10_000_000)"])
def test_output_without_end_is_not_kept(tmp_path: Path, code: str):
    with pytest.raises(NodeError, match="printed more than 1 MiB"):
        read(program(tmp_path, code))


def test_a_program_that_is_not_there_is_named():
    with pytest.raises(NodeError, match="no-such-squeue cannot be run: No such file"):
        read("no-such-squeue")


def test_a_program_that_may_not_be_run_is_named(tmp_path: Path):
    file = tmp_path / "squeue"
    file.write_text("#!/bin/sh\n")
    with pytest.raises(NodeError, match="cannot be run: Permission denied"):
        read(str(file))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[-1].split()[0]
