"""A real Prometheus scrapes a cluster with an ill GPU: what arrives elsewhere, what alarms, and what is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import pytest

from tests.monitoring.clusters import spec_of
from tests.monitoring.prometheus import Series
from tests.monitoring.test_foreign_metrics import OF_ALERTS, OF_PROMETHEUS
from tests.monitoring.whole_cluster import WholeCluster
from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD, SPEC, Node
from tests.waiting import wait_until
from trainyard.monitoring.dashboard import VARIABLES, Dashboard, Panel, dashboards_for
from trainyard.monitoring.features import features_of
from trainyard.monitoring.registry import foreign_metrics, labels_on_every_series
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
# Neuron devices have a test of their own: test_neuron_dashboard.py.
OF_P5 = dashboards_for(features_of(spec_of(SPEC)))
EVERYTHING = {
    **{f"${name}": ".*" for name in VARIABLES},
    "$__rate_interval": "10s",
    "$__range": "1h",
}


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
    expected = {(("Hostname", node.host), ("hostname", node.host)): 8 for node in COMPUTE}

    def found() -> Series:
        return p5_cluster.ask("count by (Hostname, hostname) (DCGM_FI_DEV_GPU_TEMP)")

    wait_until(lambda: found() == expected, found)  # scrapes are late where the machine is busy


def test_counters_grow_between_scrapes(p5_cluster: WholeCluster):
    for counter in ("node_cpu_seconds_total", "trainyard_efa_rx_bytes_total", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"):
        assert p5_cluster.ask(f"sum(rate({counter}[10s])) > 0"), counter


def test_an_ill_gpu_a_lost_interface_and_drained_nodes_raise_their_alerts_and_no_others(p5_cluster: WholeCluster):
    wait_until(lambda: p5_cluster.fired() >= EXPECTED, p5_cluster.fired)  # late where the machine is busy
    assert p5_cluster.fired() == EXPECTED


def test_verify_has_nothing_against_alerts_that_fire(p5_cluster: WholeCluster):
    p5_cluster.fired()
    verified = verify(Situation(spec_of(SPEC), plain_keeper(p5_cluster.keeper.url)), lambda _: None)
    assert [(finding.id, finding.message) for finding in verified.findings] == []


def test_a_real_prometheus_says_the_same_of_itself_and_of_alerts(p5_cluster: WholeCluster):
    p5_cluster.fired()
    for name in sorted(OF_PROMETHEUS):
        found = p5_cluster.ask(name)
        labels = {label for series in found for label, _ in series} - {"__name__"}
        # An alert has the labels of whatever it is about; those that are shown are among them.
        extra = labels if name in OF_ALERTS else set()
        assert found, name
        assert labels <= foreign_metrics()[name] | labels_on_every_series() | extra, name
        # No alert is about a job here.
        assert foreign_metrics()[name] - ({"jobid", "user"} if name in OF_ALERTS else set()) <= labels, name


def asked(expr: str, **chosen: str) -> str:
    """Return a query with its variables filled in, so that it asks for everything of which nothing is chosen."""
    for variable, value in {**EVERYTHING, **{f"${name}": value for name, value in chosen.items()}}.items():
        expr = expr.replace(variable, value)
    return expr


OF_A_STATE = re.compile('health_checks:sum.status="(failed|warning|unknown)"')


def unanswered(cluster: WholeCluster, panel: Panel) -> list[str]:
    """Return the queries of a panel that give nothing, or no number, but for states that no node has to be in."""
    expressions = [asked(query.expr) for query in panel.queries if not OF_A_STATE.search(query.expr)]
    return [
        expression
        for expression in expressions
        if not any(not math.isnan(value) for value in cluster.ask(expression).values())
    ]


# Its GPU is ill and answers, its job goes on, no file system fills and nothing is reserved. Its interfaces had errors
# before, and have none now.
EMPTY_WHERE_ILL = {
    "efa-network": {"errors-by-interface"},
    "jobs": {"hanging-jobs"},
    "gpu-performance": {"missing"},
    "storage": {"full-soon"},
    "money": {"reserved"},
}
# Sums of a sample each hour or each five minutes of the clock, of which the test sees one or none.
BY_THE_CLOCK = {"cost-so-far", "month"}


@pytest.mark.parametrize("dashboard", OF_P5, ids=lambda dashboard: dashboard.id)
def test_every_panel_has_data_where_a_gpu_is_ill(p5_cluster: WholeCluster, dashboard: Dashboard):
    p5_cluster.fired()
    panels = (panel for panel in dashboard.panels() if panel.id not in BY_THE_CLOCK)
    empty = {panel.id for panel in panels if unanswered(p5_cluster, panel)}
    assert empty == EMPTY_WHERE_ILL.get(dashboard.id, set())


def names_of_nodes(cluster: WholeCluster, panels: Iterable[Panel], **chosen: str) -> set[str]:
    """Return the names of nodes, of EC2 and of Slurm, on all that panels show."""
    queries = [asked(query.expr, **chosen) for panel in panels for query in panel.queries]
    shown = [dict(series) for query in queries for series in cluster.ask(query)]
    return {labels[label] for labels in shown for label in ("node_name", "node") if label in labels}


# One that drains, one that was drained before, one in which all is well, and the head node.
@pytest.mark.parametrize("node", [*COMPUTE[:3], HEAD], ids=lambda node: f"node-{node.number}")
def test_a_chosen_node_is_all_that_panels_about_nodes_show(p5_cluster: WholeCluster, node: Node):
    p5_cluster.fired()
    (host,) = {
        dict(series)["node_name"]
        for series in p5_cluster.ask(f'up{{instance="{p5_cluster.network}.{node.number}:9341"}}')
    }
    names = {host, *(dict(series)["node"] for series in p5_cluster.ask(f'node:names:max{{node_name="{host}"}}'))}
    panels = [panel for dashboard in OF_P5 for panel in dashboard.panels() if panel.is_of_chosen_nodes]
    assert names_of_nodes(p5_cluster, panels, node=host) == names
    assert names_of_nodes(p5_cluster, panels) > names
