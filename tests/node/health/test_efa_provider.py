"""Whether libfabric offers the EFA interfaces."""

from __future__ import annotations

import pytest

from tests.node.health.node import Node
from trainyard.bootstrap.steps import ASSETS
from trainyard_node.health.efa_provider import PROGRAM, check
from trainyard_node.processes import NOT_FOUND, TIMED_OUT

DEVICES = ("rdmap0s31", "rdmap16s27")


def listed(*names: str) -> str:
    """Return what fi_info prints for devices."""
    kinds = (("rdm", "FI_EP_RDM"), ("dgrm", "FI_EP_DGRAM"))
    blocks = [
        f"provider: efa\n    fabric: efa\n    domain: {name}-{kind}\n    version: 121.0\n"
        f"    type: {type_}\n    protocol: FI_PROTO_EFA\n"
        for name in names
        for kind, type_ in kinds
    ]
    return "".join(blocks)


def test_interfaces_that_are_all_offered_are_well(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, listed(*DEVICES))
    (outcome,) = check(node.machine())
    assert (outcome.status, outcome.message) == ("ok", "libfabric offers all 2 EFA interfaces")
    assert node.processes.commands == [[str(node.places.at(PROGRAM)), "-p", "efa"]]


def test_an_interface_that_is_not_offered_is_named(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, listed(DEVICES[0]))
    (outcome,) = check(node.machine())
    assert (outcome.status, outcome.device) == ("failed", "rdmap16s27")
    assert "all but 1 of 2" in outcome.message


def test_no_provider_at_all_is_a_failure_with_what_was_said(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, "fi_getinfo: -61 (No data available)\n", status=61)
    (outcome,) = check(node.machine())
    assert outcome.status == "failed"
    assert "-61 (No data available)" in outcome.message


@pytest.mark.parametrize(
    "said",
    [
        "libibverbs: Warning: RLIMIT_MEMLOCK is 8192 bytes.\nfi_getinfo: -61 (No data available)\n",
        "fi_getinfo: -13 (Permission denied)\n",
        "fi_getinfo: -1 (Operation not permitted)\n",
        "fi_getinfo: -12 (Cannot allocate memory)\n",
    ],
)
def test_a_fi_info_that_lacks_rights_says_nothing_about_the_interfaces(node: Node, said: str):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, said, status=61)
    (outcome,) = check(node.machine())
    assert outcome.status == "unknown"
    assert "run it as root" in outcome.remedy


def test_the_service_that_asks_may_lock_as_much_memory_as_libfabric_needs():
    drop_in = ASSETS / "units/trainyard-node-metrics-compute.conf"
    assert "LimitMEMLOCK=infinity" in drop_in.read_text().splitlines()


def test_another_provider_does_not_count(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, listed(*DEVICES).replace("provider: efa", "provider: verbs"))
    assert [outcome.status for outcome in check(node.machine())] == ["failed"]


def test_a_missing_fi_info_is_a_failure(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, "no such file", status=NOT_FOUND)
    (outcome,) = check(node.machine())
    assert (outcome.status, outcome.message.partition(" ")[0]) == ("failed", PROGRAM)


def test_a_fi_info_that_hangs_says_nothing_about_the_interfaces(node: Node):
    node.infiniband(*DEVICES)
    node.says(PROGRAM, "", status=TIMED_OUT)
    assert [outcome.status for outcome in check(node.machine())] == ["unknown"]


def test_rubbish_of_any_length_is_read_in_no_time(node: Node):
    node.infiniband(*DEVICES)
    for rubbish in ("\n" * 10_000_000, " " * 10_000_000, "domain: " + "a-" * 5_000_000):
        node.says(PROGRAM, "provider: efa\n" + rubbish)
        assert [outcome.status for outcome in check(node.machine())] == ["failed", "failed"]


def test_a_node_without_efa_is_not_asked(node: Node):
    assert [outcome.status for outcome in check(node.machine())] == ["absent"]
    assert node.processes.commands == []
