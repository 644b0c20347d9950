"""trainyard-deferred.service, as systemd reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from trainyard.bootstrap.steps import ASSETS

pytestmark = pytest.mark.integration


def test_systemd_finds_nothing_wrong_with_it(tmp_path: Path):
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    wrapper = tmp_path / "usr/local/bin/trainyard-node"
    wrapper.parent.mkdir(parents=True)
    wrapper.touch(0o755)
    # What every unit depends on.
    for target in Path("/lib/systemd/system").glob("*.target"):
        (units / target.name).write_bytes(target.read_bytes())
    file = ASSETS / "units/trainyard-deferred.service"
    (units / file.name).write_bytes(file.read_bytes())
    ran = subprocess.run(
        ["systemd-analyze", "verify", f"--root={tmp_path}", "--man=no", file.name],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
