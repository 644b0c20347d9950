"""What a plan says of the price: no total stands alone beside parts whose price is unknown."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

from tests.specs import spec_of
from trainyard import architectures
from trainyard.cli.plan_cost import cost_lines, cost_values
from trainyard.deploy.plan.cost import hourly_cost
from trainyard.spec.parsing import parse

FILES = sorted(Path(architectures.__file__).parent.glob("*.yaml"))
REGIONS = ("us-east-1", "us-east-2", "eu-north-1", "eu-west-3", "us-gov-west-1", "mx-central-1", "ap-southeast-6")
CAPACITIES = ("on-demand", "spot", "{capacity_block: cr-0123456789abcdef0}", "{reservation: cr-0123456789abcdef0}")
MODES = ("none", "self-hosting", "amp-only", "amp+amg")
SPEC = """\
region: {region}
monitoring: {{mode: {mode}}}
queues: [{{name: q, instance_type: {type}, nodes: {{min: 0, max: 16}}, capacity: {capacity}}}]
"""
# A sum, and not the price of one thing or what something was sold for.
TOTAL = re.compile(r"(?i)price an hour|in all|total")


def test_no_total_stands_beside_parts_of_unknown_price_without_naming_them():
    kinds = product(REGIONS, ("p5.48xlarge", "p5en.48xlarge", "m7g.large", "p9.48xlarge"), CAPACITIES, MODES)
    for region, type_, capacity, mode in kinds:
        cost = hourly_cost(spec_of(SPEC.format(region=region, type=type_, capacity=capacity, mode=mode)))
        totals = [line for line in cost_lines(cost) if TOTAL.search(line.partition(" (")[0])]
        assert totals
        for line in totals:
            assert all(part.what in line for part in cost.unknown), (line, cost.unknown)


def test_architectures_name_what_is_unknown_too():
    for file in FILES:
        cost = hourly_cost(parse(file.read_text(), file.name).spec)
        first, *_ = cost_lines(cost)
        assert all(part.what in first for part in cost.unknown), file.name
        assert first.startswith("Price an hour: unknown") == bool(cost.unknown), file.name
        values = cost_values(cost)
        assert values["complete"] == (not values["unknown"])


def test_nodes_of_a_capacity_block_never_leave_a_total_that_looks_small():
    capacity = "{capacity_block: cr-0123456789abcdef0}"
    cost = hourly_cost(spec_of(SPEC.format(region="us-east-2", type="p5.48xlarge", capacity=capacity, mode="none")))
    first, *lines = cost_lines(cost)
    assert first.startswith("Price an hour: unknown, as no source has the price of")
    assert "queue q, p5.48xlarge" in first
    (nodes,) = (line for line in lines if "queue q, p5.48xlarge" in line)
    assert nodes.strip().startswith("unknown")
    assert "offers have been USD 31.44 to 39.33 an hour each" in nodes


def test_nodes_on_demand_have_their_price_in_the_regions_of_their_type():
    for region, usd in (("us-east-2", "880.64"), ("eu-north-1", "942.28")):
        cost = hourly_cost(spec_of(SPEC.format(region=region, type="p5.48xlarge", capacity="on-demand", mode="none")))
        (nodes,) = (line for line in cost_lines(cost) if line.partition(" × ")[2].startswith("queue q"))
        assert nodes.split()[0] == usd
