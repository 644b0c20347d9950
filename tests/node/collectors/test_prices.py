"""What instances cost, as the head node tells it from its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.collectors.exposed import exposed
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places


def collector(root: Path, prices: str, budget: str = "") -> PricesCollector:
    places = Places(str(root))
    places.node_env.parent.mkdir(parents=True)
    places.node_env.write_text(f"TRAINYARD_LIST_PRICES='{prices}'\nTRAINYARD_BUDGET_USD_MONTH='{budget}'\n")
    clock = FakeClock()
    return PricesCollector(World(places, clock, FakeProcesses(clock)))


def test_each_kind_of_instances_has_its_price_and_head_nodes_have_no_queue(tmp_path: Path):
    found = exposed(
        collector(tmp_path, ":m5.large:on-demand:0.096 a:p5.48xlarge:capacity_block:31.44").collect().text()
    )
    price = "trainyard_instance_price_usd_per_hour"
    told = {(dict(labels)["priced_queue"], dict(labels)["purchase"]): usd for (name, labels), usd in found.items()}
    assert {name for name, _ in found} == {price}
    assert told == {("", "on-demand"): 0.096, ("a", "capacity_block"): 31.44}


def test_a_budget_is_told_also_where_no_price_is_known(tmp_path: Path):
    found = exposed(collector(tmp_path, "", "50000").collect().text())
    assert found == {("trainyard_budget_usd_per_month", ()): 50000}


def test_unknown_prices_are_nothing_and_not_zero(tmp_path: Path):
    with pytest.raises(NothingHere, match="no list price"):
        collector(tmp_path, "").collect()


@pytest.mark.parametrize(("prices", "budget"), [("p5.48xlarge:55", ""), ("a:b:c:much", ""), ("", "a lot")])
def test_a_setting_that_cannot_be_read_fails_the_reading(tmp_path: Path, prices: str, budget: str):
    with pytest.raises(NodeError, match=r"node\.env"):
        collector(tmp_path, prices, budget).collect()
