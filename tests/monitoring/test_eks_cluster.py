"""A real Prometheus scrapes nodes of Amazon EKS as its agent does: what dashboards show of them, and what alarms."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.monitoring.clusters import spec_of
from tests.monitoring.prometheus import Prometheus
from tests.monitoring.test_whole_cluster import OF_A_STATE, asked
from tests.monitoring.whole_cluster.cluster import DELAY_S
from tests.monitoring.whole_cluster.eks import SPEC, eks_cluster
from tests.monitoring.whole_cluster.nodes import COMPUTE
from tests.monitoring.whole_cluster.rules import LONGEST_S
from tests.waiting import wait_until
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.monitoring.dashboard import Dashboard, dashboards_for
from trainyard.monitoring.features import features_of
from trainyard.operate.monitoring.verify.deployed_cluster import plain_keeper
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.verification import verify
from trainyard.operate.monitoring.viewer.data_check import dashboards_data

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SHOWN = dashboards_for(features_of(spec_of(SPEC)))


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Return who keeps the samples, once the alert that waits longest would have fired."""
    with eks_cluster(tmp_path_factory.mktemp("eks")) as (prometheus, judged_from_s):
        time.sleep(max(0.0, judged_from_s + LONGEST_S + DELAY_S - time.monotonic()))
        yield prometheus


# On a busy machine a scrape may be late, and a rate over the shortest range is nothing for a moment.
@pytest.mark.parametrize("dashboard", SHOWN, ids=lambda dashboard: dashboard.id)
def test_every_panel_that_a_cluster_of_eks_gets_has_data(keeper: Prometheus, dashboard: Dashboard):
    queries = {
        f"{panel.id}: {query.expr}": asked(query.expr)
        for panel in dashboard.panels()
        if not panel.may_be_empty
        for query in panel.queries
        if not OF_A_STATE.search(query.expr)
    }

    def silent() -> list[str]:
        return [name for name, query in queries.items() if not keeper.ask(query)]

    wait_until(lambda: not silent(), silent)


def test_a_job_of_pods_is_on_the_nodes_that_tell_of_it(keeper: Prometheus):
    told = "count by (jobid, jobname, user, partition, node_name) (node:job:max)"
    job = {"jobid": "ml/llm", "jobname": "llm", "user": "ml", "partition": "gpu"}
    expected = [{**job, "node_name": f"ip-10-0-16-{node.number}"} for node in COMPUTE]
    found = keeper.wait_for(told, lambda now: len(now) == len(expected))
    assert sorted(map(dict, found), key=lambda one: int(one["node_name"].rpartition("-")[2])) == expected


def test_a_job_of_pods_costs_what_its_nodes_do(keeper: Prometheus):
    per_job = "sum by (jobid) (node:job:max * on (cluster, instance_id) group_left () node:usd_per_hour:max)"
    found = keeper.wait_for(per_job, lambda now: now.get((("jobid", "ml/llm"),)) == pytest.approx(4 * 55.04))
    assert len(found) == 1


def test_nothing_alarms_where_nothing_is_wrong(keeper: Prometheus):
    assert keeper.ask('ALERTS{alertstate="firing", alertname!="watchdog"}') == {}


def test_the_viewer_misses_nothing_of_it(keeper: Prometheus):
    def missing() -> dict[str, object]:
        shown = dashboards_data(PrometheusApi(Connection(keeper.url)))
        lacking: dict[str, object] = {data.id: (data.empty, data.failed) for data in shown if data.empty or data.failed}
        without = {dashboard.id for dashboard in SHOWN} ^ {data.id for data in shown if data.with_data}
        return {**dict.fromkeys(without, "shown without data, or data that is not shown"), **lacking}

    wait_until(lambda: not missing(), missing)


def test_verify_finds_nothing_wrong_with_it(keeper: Prometheus):
    situation = Situation(spec_of(SPEC), plain_keeper(keeper.url))
    verified = wait_until(lambda: None if (now := verify(situation, lambda _: None)).findings else now)
    assert verified is not None
    assert verified.looked_at["targets"] == 13
    assert verified.looked_at["panels"] == sum(len(list(dashboard.panels())) for dashboard in SHOWN)
