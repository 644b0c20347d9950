"""The programs of another Debian: they are that Debian's, whatever of this machine its jobs see."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trainyard.errors import InputError
from trainyard.lab.slurm_programs import slurm_programs

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="hardware: programs of another root take root")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("munged", "slurmctld", "slurmd"):
        program = tmp_path / "root" / "usr" / "sbin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("")
    return tmp_path / "root"


def test_the_python_of_this_system_does_not_hide_the_programs_of_the_root(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert "/usr" not in slurm_programs(str(root)).shared
    monkeypatch.setattr(sys, "base_prefix", "/usr/local")
    assert "/usr/local" in slurm_programs(str(root)).shared


@pytest.mark.parametrize("folder", ["/", "/usr", "/usr/bin", "/etc", "/usr/lib"])
def test_a_folder_that_would_hide_the_root_is_refused(root: Path, folder: str):
    with pytest.raises(InputError, match=f"^{folder}, /usr/sbin of this machine would hide what .* has there") as told:
        slurm_programs(str(root), [folder, "/usr/sbin"])
    assert told.value.where == "--share"


def test_a_folder_of_jobs_is_shared(root: Path, tmp_path: Path):
    assert str(tmp_path) in slurm_programs(str(root), [str(tmp_path)]).shared
