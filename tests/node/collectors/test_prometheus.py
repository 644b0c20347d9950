"""A real Prometheus scrapes what a node serves, and answers every query that docs/metrics.md shows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from tests.monitoring.prometheus import Prometheus, Series, real_prometheus
from tests.node.collectors.efa_tree import EfaTree, interface_name
from tests.node.collectors.exposed import exposed
from tests.node.collectors.recorded_programs import RecordedPrograms
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.monitoring.queries import DocumentedQuery, documented_queries
from trainyard_node.clock import RealClock
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.health import samples_of
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.errors import NodeError
from trainyard_node.exposition import Exposition
from trainyard_node.health.outcome import Outcome
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.samples import Samples
from trainyard_node.serve_command import make_server

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SENT_BYTES = 10**12
RESENT_BYTES = SENT_BYTES // 4
AWAY = "127.0.0.1:1"


class _Collector:
    """Ends every reading in the same way."""

    interval_s = 30.0
    deadline_s = 5.0

    def __init__(self, name: str, end: Exception | Samples) -> None:
        self.name, self._end = name, end

    def collect(self) -> Samples:
        if isinstance(self._end, Exception):
            raise self._end
        return self._end


class Scraped(NamedTuple):
    """A node and the Prometheus that scrapes it."""

    prometheus: Prometheus
    exposition: Exposition
    address: str

    def ask(self, name: str) -> Series:
        """Return the answer to a documented query, without the labels of the target."""
        (query,) = [documented_query.query for documented_query in documented_queries() if documented_query.id == name]
        found = self.prometheus.ask(query)
        return {
            tuple(pair for pair in labels if pair[0] not in ("__name__", "job", "instance")): value
            for labels, value in found.items()
        }


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scraped]:
    folder = tmp_path_factory.mktemp("node")
    tree = EfaTree(folder).instance("p5")
    tree.expect(33)
    with served(tree) as (exposition, address):
        targets = [{"targets": [address, AWAY]}]
        config = {
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [{"job_name": "trainyard-node", "static_configs": targets}],
        }
        with real_prometheus(tmp_path_factory.mktemp("prometheus"), config) as prometheus:
            prometheus.wait_for(f'up{{instance="{address}"}} == 1')
            prometheus.wait_for(f'up{{instance="{AWAY}"}} == 0')
            count_on(tree, exposition)
            prometheus.wait_for("sum(rate(node_amazonefa_retrans_bytes[5m])) > 0")
            yield Scraped(prometheus, exposition, address)


@contextmanager
def served(tree: EfaTree) -> Iterator[tuple[Exposition, str]]:
    clock = RealClock()
    world = World(Places(str(tree.root)), clock, FakeProcesses(FakeClock()))
    outcomes = [
        Outcome("gpu-ecc", "failed", "2 uncorrectable errors", "gpu 3"),
        Outcome("efa-count", "ok", "32 interfaces"),
    ]
    exposition = Exposition(
        [
            SlurmCollector(RecordedPrograms("24.11")),
            EfaCollector(world),
            _Collector("health", samples_of(outcomes)),
            _Collector("broken", NodeError("it broke")),
            _Collector("elsewhere", NothingHere("there is none")),
        ],
        clock,
    )
    exposition.read_once()
    with make_server(exposition, "127.0.0.1:0") as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield exposition, f"127.0.0.1:{server.server_port}"
        server.shutdown()


def count_on(tree: EfaTree, exposition: Exposition) -> None:
    """Let one interface send, and receive as much, and the collector see it."""
    (port,) = tree.root.glob(f"sys/devices/*/*/infiniband/{interface_name(0)}/ports/1/hw_counters")
    for counter, more in (("tx_bytes", SENT_BYTES), ("rx_bytes", SENT_BYTES), ("retrans_bytes", RESENT_BYTES)):
        (port / counter).write_text(f"{int((port / counter).read_text()) + more}\n")
    exposition.readings[1].read()


def by(label: str, **values: float) -> Series:
    return {((label, name),): value for name, value in values.items()}


@pytest.mark.parametrize("query", documented_queries(), ids=lambda query: query.id)
def test_a_documented_query_returns_data(scraped: Scraped, query: DocumentedQuery):
    assert scraped.ask(query.id)


def test_all_samples_are_scraped(scraped: Scraped):
    samples = len(exposed(b"".join(scraped.exposition.text()).decode()))
    (count,) = scraped.prometheus.ask(f'scrape_samples_scraped{{instance="{scraped.address}"}}').values()
    assert count == samples
    # And none was dropped, or told twice.
    (added,) = scraped.prometheus.ask(f'scrape_samples_post_metric_relabeling{{instance="{scraped.address}"}}').values()
    assert added == samples


def test_idle_nodes_without_power_cost_nothing(scraped: Scraped):
    # In gpu and in q, five nodes are idle and without power; a sixth without power is down.
    assert scraped.ask("idle-nodes-with-power") == by("partition", gpu=0, q=0, closed=0)
    assert scraped.prometheus.ask('sum(slurm_nodes_idle{partition="gpu"})') == {(): 5}
    assert scraped.prometheus.ask('sum(slurm_nodes_powered_down{partition="gpu"})') == {(): 6}


def test_jobs_and_gpus_are_told_by_account_partition_and_reason(scraped: Scraped):
    assert scraped.ask("gpus-by-account") == by("account", **{"(null)": 3})
    assert scraped.ask("pending-by-reason") == {
        (("partition", "closed"), ("reason", "PartitionDown")): 1,
        (("partition", "q"), ("reason", "JobHeldUser")): 9,
        (("partition", "gpu"), ("reason", "JobHeldUser")): 1,
    }


def test_a_drained_node_has_its_reason_and_how_long_ago_it_was(scraped: Scraped):
    found = {
        dict(labels)["node"]: (dict(labels)["reason"], value)
        for labels, value in scraped.ask("drained-with-reason").items()
    }
    assert set(found) == {"gpu-dy-p5-11", "q-st-cpu-3"}
    reason, ago_s = found["q-st-cpu-3"]
    assert reason.startswith('GPU 3: "Xid 79" {node="x"} \\ é 日本\n')
    assert ago_s > 0


def test_traffic_of_efa_is_seen(scraped: Scraped):
    (sent,) = scraped.ask("efa-sent-gbit-s").values()
    (received,) = scraped.ask("efa-received-gbit-s").values()
    assert sent > 0
    # They were asked one after the other, and meanwhile time went on.
    assert received == pytest.approx(sent, rel=0.2)
    assert scraped.ask("efa-retransmitted") == {(): pytest.approx(RESENT_BYTES / SENT_BYTES)}
    assert scraped.ask("efa-interfaces-missing") == {(): 1}


def test_trouble_is_named(scraped: Scraped):
    assert scraped.ask("failed-checks") == {(("check", "gpu-ecc"), ("device", "gpu 3"), ("status", "failed")): 1}
    assert scraped.ask("nodes-not-healthy") == {(): 0}
    assert scraped.ask("collector-failing") == by("collector", broken=0)
    assert scraped.ask("nothing-to-read") == by("collector", elsewhere=0)
    away = scraped.prometheus.ask('up{job="trainyard-node"} == 0')
    assert [dict(labels)["instance"] for labels in away] == [AWAY]


def test_every_reading_has_an_age_but_the_one_that_never_worked(scraped: Scraped):
    ages = scraped.ask("age-of-readings")
    assert {dict(labels)["collector"] for labels in ages} == {"slurm", "efa", "health", "elsewhere"}
    assert all(0 <= age < 300 for age in ages.values())
