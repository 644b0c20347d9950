"""List prices of the instances of a spec: what is unknown stays unknown."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.catalog import prices
from trainyard.launch.list_prices import ListPrice, list_prices

BLOCK = "{capacity_block: cr-0123456789abcdef0}"
RESERVED = "{reservation: cr-0123456789abcdef1}"


def found(queues: str, region: str = "us-east-1") -> dict[tuple[str, str], ListPrice]:
    spec = spec_of(f"region: {region}\nhead_node: {{instance_type: m5.large}}\nqueues: [{queues}]")
    return {(price.queue, price.instance_type): price for price in list_prices(spec)}


def on_demand(instance_type: str) -> float:
    price = prices.instance_hour(instance_type, "us-east-1")
    assert price is not None
    return price.usd


def test_the_head_node_and_each_queue_have_the_price_on_demand():
    told = found("{name: a, instance_type: p5.48xlarge}")
    assert told["a", "p5.48xlarge"] == ListPrice("a", "p5.48xlarge", "on-demand", on_demand("p5.48xlarge"))
    assert told["", "m5.large"].usd_per_hour == on_demand("m5.large")


def test_a_reservation_costs_what_instances_on_demand_do_and_a_capacity_block_the_least_of_its_offers():
    told = found(
        f"{{name: a, instance_type: p5.48xlarge, capacity: {RESERVED}}},"
        f"{{name: b, instance_type: p5.48xlarge, capacity: {BLOCK}}}"
    )
    offers = prices.capacity_block_hour("p5.48xlarge", "us-east-1")
    assert offers is not None
    assert told["a", "p5.48xlarge"].usd_per_hour == on_demand("p5.48xlarge")
    assert told["b", "p5.48xlarge"] == ListPrice("b", "p5.48xlarge", "capacity_block", offers.least_usd)


@pytest.mark.parametrize(
    ("queue", "region"),
    [
        ("{name: a, instance_type: g5.12xlarge, capacity: spot}", "us-east-1"),
        ("{name: a, instance_type: x99.48xlarge}", "us-east-1"),
    ],
)
def test_what_nobody_knows_has_no_price(queue: str, region: str):
    assert not [price for (name, _), price in found(queue, region).items() if name == "a"]


def test_one_type_that_a_queue_gets_in_two_ways_at_two_prices_has_none():
    resources = "[{name: x, instance_type: p5.48xlarge}, {name: y, instance_type: p5.48xlarge, capacity: BLOCK}]"
    told = found(f"{{name: a, compute_resources: {resources.replace('BLOCK', BLOCK)}}}")
    assert ("a", "p5.48xlarge") not in told
