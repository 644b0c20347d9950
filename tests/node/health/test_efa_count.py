"""Whether all EFA interfaces are there."""

from __future__ import annotations

from tests.node.health.node import Node
from trainyard_node.health.efa_count import check

# As p5.48xlarge names its first ones.
DEVICES = ("rdmap79s0", "rdmap80s0", "rdmap81s0", "rdmap82s0")


def test_a_node_with_all_its_interfaces_is_well(node: Node):
    node.infiniband(*DEVICES)
    (outcome,) = check(node.machine(efa_interfaces=4))
    assert (outcome.status, outcome.message) == ("ok", "4 EFA interfaces are here, 4 are expected")


def test_a_missing_interface_is_a_failure_that_names_those_that_are_left(node: Node):
    node.infiniband(*DEVICES[1:])
    (outcome,) = check(node.machine(efa_interfaces=4))
    assert outcome.status == "failed"
    assert outcome.message == "3 of 4 EFA interfaces are here: rdmap80s0 rdmap81s0 rdmap82s0"
    assert "another" in outcome.remedy
    assert outcome.source.startswith("https://")


def test_the_controllers_of_the_nvswitches_do_not_count(node: Node):
    node.infiniband(*DEVICES)
    node.infiniband("mlx5_0", "mlx5_1", driver="mlx5_core")
    (outcome,) = check(node.machine(efa_interfaces=5))
    assert outcome.message.startswith("4 of 5 EFA interfaces")


def test_an_interface_that_no_driver_runs_is_named(node: Node):
    node.infiniband(*DEVICES)
    node.pci("0000:53:00.0", "0x1d0f", "0xefa2")
    node.pci("0000:52:00.0", "0x1d0f", "0xefa2", driver="efa")
    node.pci("0000:00:05.0", "0x1d0f", "0xec20")
    unbound, number = check(node.machine(efa_interfaces=5))
    assert (unbound.status, unbound.device) == ("failed", "0000:53:00.0")
    assert number.message.startswith("4 of 5")
    assert "modprobe efa" in number.remedy


def test_nothing_expected_and_nothing_there_is_no_failure(node: Node):
    for expected in (None, 0):
        assert [outcome.status for outcome in check(node.machine(efa_interfaces=expected))] == ["absent"]


def test_more_than_expected_is_no_failure(node: Node):
    """One type with EFA and without it in one queue: then none is expected of either."""
    node.infiniband(*DEVICES)
    assert [outcome.status for outcome in check(node.machine(efa_interfaces=0))] == ["ok"]


def test_without_an_expectation_it_says_so(node: Node):
    node.infiniband(*DEVICES)
    (outcome,) = check(node.machine())
    assert outcome.status == "ok"
    assert "not known" in outcome.message


def test_none_of_the_expected_interfaces_is_a_failure(node: Node):
    (outcome,) = check(node.machine(efa_interfaces=32))
    assert (outcome.status, outcome.message) == ("failed", "0 of 32 EFA interfaces are here")
