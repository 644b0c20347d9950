"""The interface plans: ParallelCluster's own answer, EC2's guide, and what a card can hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.each_case import each_case
from trainyard.catalog.instances import family_in, find, researched_names
from trainyard.catalog.interfaces import (
    LAYOUTS,
    Interface,
    InterfaceLayout,
    InterfacePlan,
    eksctl_interfaces,
    interface_plan,
    misfits,
)
from trainyard.errors import TrainyardError


def _known(name: str) -> Any:
    instance_type = find(name)
    assert instance_type is not None
    return instance_type


# Recorded from the real function: see "provenance" in the file and record_parallelcluster_interfaces.py.
GOLDEN = json.loads((Path(__file__).parent / "golden/parallelcluster-3.16.1-interfaces.json").read_text())["interfaces"]

WITH_EFA = [name for name in researched_names() if _known(name).has_efa]
QUESTIONS = [
    (name, layout, efa)
    for name in researched_names()
    for layout in LAYOUTS
    for efa in ([True, False] if name in WITH_EFA else [False])
]


def _slots(interfaces: Iterable[Interface]) -> list[tuple[int, int, str]]:
    return [(interface.card_index, interface.device_index, interface.kind) for interface in interfaces]


def _plan(name: str, layout: Any, *, efa: bool = True) -> InterfacePlan:
    return interface_plan(_known(name), layout, efa=efa)


def test_every_layout_has_a_rule():
    assert set(LAYOUTS) == set(get_args(InterfaceLayout))


def test_parallelcluster_was_recorded_for_every_type():
    assert set(GOLDEN) == set(researched_names())


@each_case(("name", "answer"), [(name, answer) for name in GOLDEN for answer in GOLDEN[name]])
def test_the_plan_is_what_parallelcluster_itself_makes(name, answer):
    plan = _plan(name, "parallelcluster", efa=answer == "efa")
    assert _slots(plan.interfaces) == [tuple(slot) for slot in GOLDEN[name][answer]]


@each_case(("name", "layout", "efa"), QUESTIONS)
def test_ec2_would_accept_every_plan(name, layout, efa):
    assert misfits(_known(name), _plan(name, layout, efa=efa).interfaces) == ()


@each_case(("name", "layout", "efa"), QUESTIONS)
def test_every_plan_says_why_and_names_sources(name, layout, efa):
    plan = _plan(name, layout, efa=efa)
    assert plan.why
    assert all(sentence.endswith(".") for sentence in plan.why)
    assert plan.sources
    assert all(source.startswith("https://") for source in plan.sources)


@each_case("layout", LAYOUTS)
@each_case("name", [name for name in WITH_EFA if _known(name).efa_cards is None])
def test_a_plan_with_efa_has_all_of_it(name, layout):
    assert _plan(name, layout).efa_count == _known(name).efa_interfaces


@each_case(("name", "layout", "efa"), QUESTIONS)
def test_a_plan_without_efa_has_none(name, layout, efa):
    assert _plan(name, layout, efa=False).efa_count == 0


@each_case("layout", ["awsvpc", "vpc-cni"])
@each_case("name", researched_names())
def test_without_efa_one_interface_is_enough(name, layout):
    assert _slots(_plan(name, layout, efa=False).interfaces) == [(0, 0, "interface")]


EFA_COUNTS = [
    ("p4d.24xlarge", 4),
    ("p5.48xlarge", 32),
    ("p5en.48xlarge", 16),
    ("p6-b200.48xlarge", 8),
    ("p6-b300.48xlarge", 16),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("name", "count"), EFA_COUNTS)
def test_a_plan_has_as_many_efa_devices_as_aws_counts(name, count, layout):
    assert _plan(name, layout).efa_count == count


@pytest.mark.parametrize(("layout", "device"), [("parallelcluster", 1), ("awsvpc", 0), ("vpc-cni", 0)])
def test_b300_keeps_card_0_for_the_address_and_puts_efa_on_the_other_16(layout, device):
    expected = [(0, 0, "interface"), *((card, device, "efa-only") for card in range(1, 17))]
    plan = _plan("p6-b300.48xlarge", layout)
    assert _slots(plan.interfaces) == expected
    assert "Card 0 supports no EFA: it carries the address of the instance and nothing else." in plan.why


def test_eks_follows_the_guide_on_p5():
    expected = [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 32))]
    assert _slots(_plan("p5.48xlarge", "vpc-cni").interfaces) == expected


def test_batch_leaves_room_on_card_0_for_the_interface_of_the_container():
    p5 = _known("p5.48xlarge")
    on_card_0 = [interface for interface in _plan("p5.48xlarge", "awsvpc").interfaces if interface.card_index == 0]
    assert _slots(on_card_0) == [(0, 0, "efa")]
    assert len(on_card_0) < p5.cards[0].max_interfaces


def test_batch_warns_where_no_room_is_left():
    assert any("no room" in sentence for sentence in _plan("hpc6id.32xlarge", "awsvpc").why)


@pytest.mark.parametrize("layout", ["awsvpc", "vpc-cni"])
def test_gb200_gets_one_efa_for_each_gpu(layout):
    expected = [(0, 0, "interface"), *((card, 0, "efa-only") for card in (1, 5, 9, 13))]
    plan = _plan("p6e-gb200.36xlarge", layout)
    assert _slots(plan.interfaces) == expected
    assert any("cards 1, 5, 9 and 13" in sentence for sentence in plan.why)


def test_a_card_that_holds_one_interface_combines_address_and_efa():
    assert _slots(_plan("hpc6id.32xlarge", "vpc-cni").interfaces) == [(0, 0, "efa"), (1, 0, "efa-only")]


def test_eksctl_puts_efa_on_every_card():
    assert _slots(eksctl_interfaces(_known("p4d.24xlarge"))) == [
        (0, 0, "efa"),
        (1, 1, "efa"),
        (2, 1, "efa"),
        (3, 1, "efa"),
    ]


REFUSED = {
    "p6-b300.48xlarge": "card 0 takes interface, not efa",
    "p6e-gb200.36xlarge": "card 0 takes interface, not efa",
    "hpc6id.32xlarge": "card 1 holds 1, so it has no device 1",
}


@pytest.mark.parametrize("name", WITH_EFA)
def test_eks_says_where_eksctl_alone_would_fail(name):
    own = misfits(_known(name), eksctl_interfaces(_known(name)))
    said = [sentence for sentence in _plan(name, "vpc-cni").why if "eksctl" in sentence]
    assert (own[0] if own else None) == REFUSED.get(name)
    assert len(said) == 1
    assert ("refuses" in said[0]) == (name in REFUSED)


def test_eks_says_that_p5_leaves_no_room_for_pod_addresses():
    assert any("leaves the VPC CNI none" in sentence for sentence in _plan("p5.48xlarge", "vpc-cni").why)


WRONG = [
    ([], "card 0, device 0 carries no interface with an address"),
    ([Interface(0, 0, "efa-only")], "card 0, device 0 carries no interface with an address"),
    ([Interface(0, 0, "efa"), Interface(0, 0, "interface")], "card 0, device 0 is taken 2 times"),
    ([Interface(0, 0, "interface"), Interface(32, 0, "efa-only")], "there is no card 32"),
    ([Interface(0, 0, "interface"), Interface(2, 2, "efa-only")], "card 2 holds 2, so it has no device 2"),
    ([Interface(0, 0, "efa"), Interface(0, 1, "efa-only")], "card 0 carries 2 EFAs, one is possible"),
]


@pytest.mark.parametrize(("interfaces", "reason"), WRONG, ids=lambda part: part if isinstance(part, str) else "")
def test_a_list_that_ec2_refuses_is_told_why(interfaces, reason):
    assert reason in misfits(_known("p5.48xlarge"), interfaces)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_efa_on_a_type_without_it_is_an_error_with_place_and_hint(layout):
    with pytest.raises(TrainyardError) as caught:
        _plan("g5.xlarge", layout)
    assert caught.value.problem == "g5.xlarge has no EFA"
    assert caught.value.where == "catalog/instances/g5.yaml (g5.xlarge)"
    assert "switch EFA off" in str(caught.value.hint)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unknown_cards_are_an_error_with_place_and_hint(layout):
    source = {"what": "a page", "url": "https://example.org/", "read": "2026-11-20"}
    family = {"sources": {"page": source}, "types": {"x1.large": {"page": {"vcpus": 2}}}}
    with pytest.raises(TrainyardError) as caught:
        interface_plan(family_in(family, "x1.yaml").types["x1.large"], layout, efa=False)
    assert caught.value.problem == "the network cards of x1.large are unknown"
    assert caught.value.where == "catalog/instances/x1.yaml (x1.large)"
    assert "describe-instance-types" in str(caught.value.hint)
