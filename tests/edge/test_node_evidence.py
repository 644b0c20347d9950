"""The evidence of a node comes whatever its programs do: those that hang are ended, those that are missing say so."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from trainyard import edge

pytestmark = pytest.mark.integration
SCRIPT = Path(edge.__file__).parent / "remote" / "node_evidence.sh"


def test_a_driver_that_hangs_and_a_program_that_is_missing_hold_nothing_up(tmp_path: Path):
    programs = {
        "nvidia-smi": "sleep 600", "dmesg": 'echo "NVRM: Xid (PCI:0000:10:1c): 79, GPU has fallen off the bus."',
        "sudo": 'shift; exec "$@"',
    }  # fmt: skip
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin", "TRAINYARD_EVIDENCE_S": "1"}
    ran = subprocess.run(["bash", "-s"], input=SCRIPT.read_bytes(), env=variables, capture_output=True, check=True)
    text = gzip.decompress(ran.stdout).decode()
    parts = {part.partition("\n")[0]: part for part in text.split("== ")}
    assert "it ended with status 124" in parts["gpus"]
    assert "fallen off the bus" in parts["xid"]
    assert "it ended with status" in parts["health"]
    assert list(parts)[1:] == ["health", "gpus", "xid", "efa", "dmesg", "bootstrap"]
