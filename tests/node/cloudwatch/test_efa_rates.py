"""How much goes through EFA interfaces, from trees of counter files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.collectors.efa_tree import EfaTree, interface_name
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.render.cloudwatch_metrics import OF_EFA
from trainyard_node.cloudwatch.efa_rates import EfaRates
from trainyard_node.embedded_metrics import MetricBatch
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

ONE, ANOTHER = interface_name(0), interface_name(1)
NAMES = {"rx_bytes_rate", "tx_bytes_rate", "rx_packets_rate", "tx_packets_rate", "rx_errors", "tx_retransmits"}


class Node:
    """Two interfaces, and a clock."""

    def __init__(self, place: Path) -> None:
        """Begin with what the tree counts."""
        self.tree, self.clock = EfaTree(place), FakeClock()
        self.tree.interface(ONE)
        self.tree.interface(ANOTHER)
        self.world = World(Places(str(place)), self.clock, FakeProcesses(self.clock))

    def rates(self, *groups: str) -> EfaRates:
        return EfaRates(self.world, "i-1", frozenset(groups or ("efa",)))

    def file(self, interface: str, counter: str) -> Path:
        return self.tree.root / "sys/class/infiniband" / interface / "ports/1/hw_counters" / counter

    def count(self, interface: str, **more: int) -> None:
        for counter, number in more.items():
            file = self.file(interface, counter)
            file.write_text(f"{int(file.read_text()) + number}\n")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def after_a_minute(node: Node, rates: EfaRates) -> list[MetricBatch]:
    node.clock.passed_s += 60
    return list(rates.batches())


def values(batch: MetricBatch) -> dict[str, float]:
    return {metric.name: metric.values[0] for metric in batch.metrics if metric.values}


def test_the_first_reading_gives_nothing_as_nobody_knows_when_it_was_counted(node: Node):
    assert list(node.rates().batches()) == []


def test_a_node_has_the_sums_of_its_interfaces(node: Node):
    rates = node.rates()
    list(rates.batches())
    node.count(ONE, rx_bytes=6000, rx_pkts=60, rx_drops=2)
    node.count(ANOTHER, rx_bytes=1200, tx_bytes=600, tx_pkts=6, retrans_pkts=3)
    (batch,) = after_a_minute(node, rates)
    assert (batch.namespace, batch.dimensions) == ("ParallelCluster/Network", {"InstanceId": "i-1"})
    assert values(batch) == {
        "rx_bytes_rate": 120.0,
        "tx_bytes_rate": 10.0,
        "rx_packets_rate": 1.0,
        "tx_packets_rate": 0.1,
        "rx_errors": 2.0,
        "tx_retransmits": 3.0,
    }


def test_the_plan_counts_as_many_metrics_as_there_are(node: Node):
    rates = node.rates()
    list(rates.batches())
    (batch,) = after_a_minute(node, rates)
    assert {metric.name for metric in batch.metrics} == NAMES
    assert len(NAMES) == OF_EFA


def test_each_interface_is_told_apart_only_where_that_is_asked_for(node: Node):
    rates = node.rates("efa-interfaces")
    list(rates.batches())
    node.count(ANOTHER, tx_bytes=60)
    batches = after_a_minute(node, rates)
    assert [batch.dimensions for batch in batches] == [
        {"InstanceId": "i-1", "Interface": ONE},
        {"InstanceId": "i-1", "Interface": ANOTHER},
    ]
    assert [values(batch)["tx_bytes_rate"] for batch in batches] == [0.0, 1.0]


def test_both_can_be_asked_for(node: Node):
    rates = node.rates("efa", "efa-interfaces")
    list(rates.batches())
    assert [len(batch.dimensions) for batch in after_a_minute(node, rates)] == [1, 2, 2]


def test_an_interface_that_began_anew_makes_no_sum_and_hides_no_other(node: Node):
    rates = node.rates("efa", "efa-interfaces")
    list(rates.batches())
    node.file(ONE, "rx_bytes").write_text("0\n")
    node.count(ANOTHER, rx_bytes=60, tx_bytes=60)
    whole, batch, another = after_a_minute(node, rates)
    assert "rx_bytes_rate" not in values(whole)
    assert values(whole)["tx_bytes_rate"] == 1.0
    assert "rx_bytes_rate" not in values(batch)
    assert values(another)["rx_bytes_rate"] == 1.0


def test_after_it_began_anew_an_interface_counts_again(node: Node):
    rates = node.rates()
    list(rates.batches())
    node.file(ONE, "rx_bytes").write_text("0\n")
    after_a_minute(node, rates)
    node.count(ONE, rx_bytes=120)
    (batch,) = after_a_minute(node, rates)
    assert values(batch)["rx_bytes_rate"] == 2.0


def test_an_interface_that_went_away_makes_no_sum_that_looks_like_a_slump(node: Node):
    rates = node.rates()
    list(rates.batches())
    (node.tree.root / "sys/class/infiniband" / ONE).unlink()
    (batch,) = after_a_minute(node, rates)
    assert values(batch) == {}
    (batch,) = after_a_minute(node, rates)
    assert set(values(batch)) == NAMES


def test_an_interface_that_has_just_come_is_counted_from_then_on(node: Node):
    rates = node.rates()
    list(rates.batches())
    node.tree.interface(interface_name(2))
    (batch,) = after_a_minute(node, rates)
    assert values(batch)["rx_bytes_rate"] == 0.0
    node.count(interface_name(2), rx_bytes=60)
    (batch,) = after_a_minute(node, rates)
    assert values(batch)["rx_bytes_rate"] == 1.0


def test_after_a_long_gap_nothing_is_said_about_it(node: Node):
    rates = node.rates()
    list(rates.batches())
    node.clock.passed_s += 600
    assert list(rates.batches()) == []
    assert after_a_minute(node, rates)


def test_a_device_without_a_counter_lacks_its_metric_only(node: Node):
    for interface in (ONE, ANOTHER):
        node.file(interface, "retrans_pkts").unlink()
    rates = node.rates()
    list(rates.batches())
    (batch,) = after_a_minute(node, rates)
    assert set(values(batch)) == NAMES - {"tx_retransmits"}


def test_an_interface_with_a_damaged_counter_leaves_the_other_metrics(node: Node):
    rates = node.rates()
    list(rates.batches())
    node.file(ONE, "tx_bytes").write_text("rubbish")
    (batch,) = after_a_minute(node, rates)
    assert set(values(batch)) == NAMES - {"tx_bytes_rate"}


def test_controllers_of_nvlink_are_not_counted(node: Node):
    node.tree.add("ibp115s0f0", "mlx5_core", {"ports/1/hw_counters": ("rx_bytes",)})
    rates = node.rates("efa-interfaces")
    list(rates.batches())
    assert len(after_a_minute(node, rates)) == 2


@pytest.mark.parametrize("devices", [None, ()])
def test_a_node_without_efa_says_so(tmp_path: Path, devices: tuple[str, ...] | None):
    if devices is not None:
        (tmp_path / "sys/class/infiniband").mkdir(parents=True)
    clock = FakeClock()
    rates = EfaRates(World(Places(str(tmp_path)), clock, FakeProcesses(clock)), "i-1", frozenset({"efa"}))
    with pytest.raises(NodeError, match="EFA"):
        list(rates.batches())
