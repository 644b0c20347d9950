"""What a plan says of the price: no total stands alone beside parts whose price is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.specs import spec_of
from trainyard import architectures
from trainyard.cli.plan import plan_lines, plan_values
from trainyard.cli.plan_cost import change_line, cost_lines, cost_values
from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.plan.deployment_plan import DeploymentPlan, plan
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


def unknown_parts(cost: Cost) -> list[str]:
    """Return what has no price, told by the lines themselves and not by what the estimate says of itself."""
    return [line.what for line in cost.lines if line.usd_per_hour_each is None and line.most]


def totals(lines: Iterable[str]) -> list[str]:
    """Return the lines with a sum; what stands in brackets says how one part is counted."""
    return [line for line in lines if TOTAL.search(line.partition(" (")[0])]


def bare_totals(lines: Iterable[str], unknown: list[str]) -> list[str]:
    """Return the lines with a sum that do not name everything whose price is unknown."""
    return [line for line in totals(lines) if not all(what in line for what in unknown)]


def unnamed(values: dict[str, Any]) -> set[str]:
    """Return the parts without a price in JSON that the object with the sums does not name."""
    nameless = {line["what"] for line in values["lines"] if line["usd_per_hour_each"] is None and line["most"]}
    return nameless - {*values["unknown"]} | ({"complete"} if values["complete"] == bool(nameless) else set())


def test_no_total_stands_beside_parts_of_unknown_price_without_naming_them():
    kinds = product(REGIONS, ("p5.48xlarge", "p5en.48xlarge", "m7g.large", "p9.48xlarge"), CAPACITIES, MODES)
    for region, type_, capacity, mode in kinds:
        cost = hourly_cost(spec_of(SPEC.format(region=region, type=type_, capacity=capacity, mode=mode)))
        assert totals(cost_lines(cost))
        assert bare_totals(cost_lines(cost), unknown_parts(cost)) == []
        assert bare_totals([change_line(cost, cost)], unknown_parts(cost)) == []
        assert unnamed(cost_values(cost)) == set()


def architecture_plan(file: Path, region: str) -> DeploymentPlan:
    text = re.sub(r"(?m)\b[a-z]{2}-[a-z]+-\d(?=[a-f]?\b)", region, file.read_text())
    return plan(parse(text, file.name).spec)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_whole_plan_of_an_architecture_has_no_bare_total(file: Path):
    for region in ("us-east-2", "ap-southeast-4"):
        planned = architecture_plan(file, region)
        unknown = unknown_parts(planned.cost)
        assert totals(plan_lines(planned))
        assert bare_totals(plan_lines(planned), unknown) == []
        assert any(line.startswith("Price an hour: unknown") for line in plan_lines(planned)) == bool(unknown)
        assert unnamed(plan_values(planned)["cost"]) == set()


def test_a_bare_total_is_seen():
    cost = hourly_cost(spec_of(SPEC.format(region="us-east-2", type="p9.48xlarge", capacity="spot", mode="amp-only")))
    unknown = unknown_parts(cost)
    assert unknown
    first, *_ = cost_lines(cost)
    for what in unknown:
        assert bare_totals([first.replace(what, "")], unknown)
        values = cost_values(cost)
        assert unnamed({**values, "unknown": [named for named in values["unknown"] if named != what]}) == {what}
        assert unnamed({**values, "complete": True}) == {"complete"}


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
