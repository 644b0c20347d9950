"""A run of a stand-in for training takes every kind of fault once on sid's Slurm, and goes on by itself.

benchmarks/run_faults.py has many more of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.lab.training_faults import FAULTS

pytestmark = [
    pytest.mark.integration,
    pytest.mark.exhaustive,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
_KINDS = list(FAULTS)


@pytest.mark.parametrize("kinds", [_KINDS[:7], _KINDS[7:14], _KINDS[14:]], ids=["nodes", "processes", "files"])
def test_every_fault_is_recovered_from_unattended(kinds: list[str]):
    command = ("unshare", "--net", sys.executable, "-m", "tests.lab.fault_series", *kinds)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [outcome["fault"] for outcome in outcomes] == kinds, done.stderr
    assert [outcome for outcome in outcomes if not outcome["recovered"]] == []
