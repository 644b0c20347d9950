"""A real Prometheus scrapes a whole cluster: what arrives elsewhere, which alerts fire, and what dashboards show."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.monitoring.clusters import spec_of
from tests.monitoring.whole_cluster import WholeCluster, whole_cluster
from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD, SPEC
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards
from trainyard.operate.monitoring.verify.deployed_cluster import plain_keeper
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.verification import verify

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# What is scraped of nodes, and not what is made of it where it is kept.
OF_NODES = '{job=~"node-exporter|dcgm-exporter|trainyard-node", __name__!~"ALERTS.*"}'
# What an ill GPU, the node that drains for it and a node that was drained for want of an EFA interface have to lead to.
EXPECTED = {
    "efa-interface-missing",
    "gpu-ecc-uncorrected",
    "gpu-idle-in-job",
    "gpu-row-remap-failed",
    "gpu-row-remapped",
    "gpu-thermal-throttling",
    "gpu-xid-fatal",
    "gpu-xid-new",
    "node-unhealthy",
    "slurm-node-drained",
}
EVERYTHING = {"$cluster": ".*", "$queue": ".*", "$node": ".*", "$__rate_interval": "10s"}


def test_what_is_written_elsewhere_arrives_with_all_labels(p5_cluster: WholeCluster):
    wait_until(lambda: set(p5_cluster.prometheus.ask(OF_NODES)) == set(p5_cluster.keeper.ask(OF_NODES)))
    # 32 EFA interfaces and 8 GPUs on each of four nodes, and three exporters.
    assert len(p5_cluster.keeper.ask(OF_NODES)) > 4 * (32 * 38 + 8 * 24)


def test_every_series_says_which_node_it_is_of(p5_cluster: WholeCluster):
    everywhere = {"job", "instance", "cluster", "instance_id", "instance_type", "node_name", "node_type"}
    for series in p5_cluster.ask(OF_NODES):
        labels = dict(series)
        assert everywhere <= set(labels), labels
        # node_udp_queues has a label `queue` of its own, which is rx or tx where the node is of no queue.
        if labels["__name__"] != "node_udp_queues" or labels["node_type"] == "Compute":
            assert labels.get("queue") == ("gpu" if labels["node_type"] == "Compute" else None), labels


def test_both_spellings_of_the_host_are_on_what_either_exporter_says(p5_cluster: WholeCluster):
    found = p5_cluster.ask("count by (Hostname, hostname) (DCGM_FI_DEV_GPU_TEMP)")
    assert found == {(("Hostname", node.host), ("hostname", node.host)): 8 for node in COMPUTE}


def test_counters_grow_between_scrapes(p5_cluster: WholeCluster):
    for counter in ("node_cpu_seconds_total", "node_amazonefa_rx_bytes", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"):
        assert p5_cluster.ask(f"sum(rate({counter}[10s])) > 0"), counter


def test_an_ill_gpu_a_lost_interface_and_drained_nodes_raise_their_alerts_and_no_others(p5_cluster: WholeCluster):
    assert p5_cluster.fired() == EXPECTED


def test_nothing_alarms_where_nothing_is_wrong(healthy_cluster: WholeCluster):
    assert healthy_cluster.fired() == set()


def test_verify_has_nothing_against_alerts_that_fire(p5_cluster: WholeCluster):
    p5_cluster.fired()
    verified = verify(Situation(spec_of(SPEC), plain_keeper(p5_cluster.keeper.url)), lambda _: None)
    assert [(finding.id, finding.message) for finding in verified.findings] == []


def asked(expr: str) -> str:
    """Return a query with its variables filled in so that it asks for everything."""
    for variable, value in EVERYTHING.items():
        expr = expr.replace(variable, value)
    return expr


def unanswered(cluster: WholeCluster, panel: Panel) -> list[str]:
    """Return the queries of a panel that give nothing, or no number."""
    expressions = [asked(query.expr) for query in panel.queries]
    return [
        expression
        for expression in expressions
        if not any(not math.isnan(value) for value in cluster.ask(expression).values())
    ]


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda dashboard: dashboard.id)
def test_every_panel_has_data_where_a_gpu_is_ill(p5_cluster: WholeCluster, dashboard: Dashboard):
    p5_cluster.fired()
    empty = {panel.id: found for panel in dashboard.panels() if (found := unanswered(p5_cluster, panel))}
    assert empty == {}


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda dashboard: dashboard.id)
def test_every_panel_has_data_where_all_is_well_but_those_that_may_be_empty(
    healthy_cluster: WholeCluster, dashboard: Dashboard
):
    healthy_cluster.fired()
    always = [panel for panel in dashboard.panels() if not panel.may_be_empty]
    assert {panel.id: found for panel in always if (found := unanswered(healthy_cluster, panel))} == {}


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
