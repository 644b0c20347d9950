"""slurmctld's own metrics, from a real one: what our rules read is there, with the labels that they expect."""

from __future__ import annotations

import os
import urllib.request
from pathlib import Path

import pytest

from tests.monitoring.native_slurm import native
from tests.node.collectors.exposed import Labels, exposed
from tests.node.newer_slurm import SID_ROOT, write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
PAGES = ("jobs", "nodes", "partitions", "jobs-users-accts")
# Accounts have names only where there is slurmdbd.
OF_ACCOUNTS = "slurm_account_"


def page(slurm: Slurm, name: str) -> str:
    """Return one page of the controller's metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{slurm.port}/metrics/{name}", timeout=30) as answer:
        return str(answer.read().decode())


def labels_by_name(samples: dict[tuple[str, Labels], float]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for name, labels in samples:
        names.setdefault(name, set()).update(label for label, _ in labels)
    return names


def test_a_real_slurmctld_exports_what_the_rules_read(monkeypatch: pytest.MonkeyPatch, tmp_path_factory):
    programs = Path(tmp_path_factory.mktemp("slurm-programs"))
    write_programs(programs, SID_ROOT)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with real_slurm(more="MetricsType=metrics/openmetrics\n") as slurm:
        # Without any job, the page of users is no exposition; slurm_native.scrape.yaml says so.
        assert "slurm_" not in page(slurm, "jobs-users-accts")
        running, _ = slurm.submit("sleep 600"), slurm.submit("true", "--hold")
        wait_until(lambda: slurm.job(running) == "RUNNING")
        real = {key: value for name in PAGES for key, value in exposed(page(slurm, name)).items()}
        slurm.run("scancel", running)
    written = labels_by_name(native())
    exported = labels_by_name(real)
    assert written.keys() - exported.keys() == set()
    differing = {name for name in written if written[name] != exported[name]}
    assert {name for name in differing if not name.startswith(OF_ACCOUNTS)} == set()
    assert real["slurm_jobs_running", ()] == 1
    assert real["slurm_jobs_pending", ()] + real["slurm_jobs_hold", ()] >= 1
    assert real["slurm_partition_nodes_mixed", (("partition", "q"),)] == 1
