"""A real Prometheus scrapes a cluster in which all is well, and one with a real Slurm: what is shown, and no alarm."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.monitoring.test_whole_cluster import OF_P5, unanswered
from tests.monitoring.whole_cluster import WholeCluster, whole_cluster
from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.monitoring.dashboard import Dashboard

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


@pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root")
def test_the_live_exporter_of_a_real_slurm_is_scraped_beside_the_others(tmp_path: Path):
    few = (HEAD, COMPUTE[0])
    with real_slurm(2, gpus=8) as slurm, whole_cluster(tmp_path, faults={"no-slurm"}, nodes=few) as cluster:
        busy, drained = slurm.nodes
        job = slurm.submit("sleep 600", "--gres=gpu:h100:8", f"--nodelist={busy}")
        slurm.run("scontrol", "update", f"NodeName={drained}", "State=drain", "Reason=a fan is loud")
        # The exporter reads Slurm every half minute.
        wait_until(lambda: slurm.job(job) == "RUNNING")
        with live_exporter(slurm, f"{cluster.network}.{HEAD.number}:9341"):
            (reason,) = cluster.keeper.wait_for("slurm_node_drain_reason_info")
            labels = dict(reason)
            assert (labels["node"], labels["reason"]) == (drained, "a fan is loud")
            assert (labels["job"], labels["node_type"], labels["cluster"]) == (
                "trainyard-node",
                "HeadNode",
                "p5-cluster",
            )
            cluster.keeper.wait_for("slurm_jobs_running == 1 and slurm_gpus_alloc == 8")
            cluster.keeper.wait_for('ALERTS{alertname="slurm-node-drained", alertstate="firing"}')


@contextmanager
def live_exporter(slurm: Slurm, address: str) -> Iterator[None]:
    """Start what a head node starts, in front of a Slurm of ours."""
    command = [sys.executable, "-m", "trainyard_node", "serve", "--collector=slurm", f"--listen={address}"]
    with subprocess.Popen(command, env={**os.environ, **slurm.variables}) as process:
        try:
            yield
        finally:
            process.terminate()


def test_nothing_alarms_where_nothing_is_wrong_but_money_that_is_lost(healthy_cluster: WholeCluster):
    # Its Slurm stands still: a job waits beside an idle node for half an hour of shortened time.
    assert healthy_cluster.fired() == {"nodes-idle-while-jobs-wait", "idle-nodes-cost"}


@pytest.mark.parametrize("dashboard", OF_P5, ids=lambda dashboard: dashboard.id)
def test_every_panel_has_data_where_all_is_well_but_those_that_may_be_empty(
    healthy_cluster: WholeCluster, dashboard: Dashboard
):
    healthy_cluster.fired()
    always = [panel for panel in dashboard.panels() if not panel.may_be_empty]
    assert {panel.id: found for panel in always if (found := unanswered(healthy_cluster, panel))} == {}
