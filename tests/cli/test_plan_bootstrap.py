"""How the plan shows the time that nodes take."""

from __future__ import annotations

import json

import pytest

from tests.specs import spec_of
from trainyard.cli.plan_bootstrap import budget_lines, budget_values, fleet_lines, fleet_values
from trainyard.deploy.plan.fleet import simulate_fleet
from trainyard.deploy.plan.time_budget import TimeBudget, time_budget

SOFTWARE = "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
QUEUES = "queues: [{name: gpu, instance_type: g5.12xlarge, nodes: 4}]\n"
LOGIN = "login_nodes: {count: 1}\n"


def budget_of(*parts: str) -> TimeBudget:
    budget = time_budget(spec_of("".join(parts)))
    assert budget is not None
    return budget


def row(start: str, *parts: str) -> str:
    return next(" ".join(line.split()) for line in budget_lines(budget_of(*parts)) if line.startswith(f"  {start} "))


def test_each_kind_of_nodes_has_a_row_with_both_images_and_what_a_baked_one_saves():
    assert row("queue/gpu", SOFTWARE, QUEUES) == "queue/gpu 10 to 22 2 to 9 7 to 13 35 (timeouts.compute_node_s)"


def test_the_longest_chain_is_compared_with_the_timeout_of_the_head_node():
    found = row("until", SOFTWARE, QUEUES, "timeouts: {head_node_s: 1200}\n")
    assert found.endswith("20 (timeouts.head_node_s), which may be too short: head and then queue/gpu")


def test_a_login_node_is_compared_with_what_auto_scaling_allows():
    assert row("login", SOFTWARE, LOGIN) == "login 2 to 9 2 to 9 0 10 (fixed)"


def test_what_is_not_counted_and_what_comes_later_is_said():
    text = "\n".join(budget_lines(budget_of(SOFTWARE, QUEUES)))
    assert "nobody has measured them: packages" in text
    assert "with Slurm running: node-exporter (head, queue/gpu), node-metrics (head, queue/gpu), prometheus" in text
    assert "nothing changes it later" in text


@pytest.mark.parametrize(("software", "recommended"), [(SOFTWARE, True), ("", False)])
def test_a_baked_image_is_recommended_where_it_saves_anything(software, recommended):
    text = "\n".join(budget_lines(budget_of(software, QUEUES)))
    assert ("Recommended: baked images, which save 7 to 13 minutes" in text) == recommended


@pytest.mark.parametrize(
    ("ami", "named"),
    [
        ("image: {ami: ami-0123456789abcdef0}\n", "head, queue/gpu"),
        ("head_node: {ami: ami-0123456789abcdef0}\n", "head"),
        ("", None),
    ],
)
def test_an_image_that_the_spec_names_is_told_and_only_for_other_nodes_is_one_recommended(ami, named):
    text = "\n".join(budget_lines(budget_of(SOFTWARE, QUEUES, ami)))
    assert (f"The spec names an image for {named};" in text) == (named is not None)
    assert ("Recommended: baked images" in text) == (named != "head, queue/gpu")
    nodes = budget_values(budget_of(SOFTWARE, QUEUES, ami))["nodes"]
    assert ", ".join(node["node"] for node in nodes if node["own_image"]) == (named or "")


def test_an_image_of_a_queue_or_of_all_login_pools_counts_for_them_alone():
    own = "queues: [{name: a, instance_type: g5.12xlarge, ami: ami-0123456789abcdef0}, "
    queues = f"{own}{{name: b, instance_type: g5.12xlarge}}]\n"
    login = "login_nodes: [{name: x, ami: ami-0123456789abcdef0}, {name: y}]\n"
    nodes = {node.name: node.own_image for node in budget_of(SOFTWARE, queues, login).nodes}
    assert nodes == {"head": False, "login": False, "queue/a": True, "queue/b": False}


def test_programs_read_the_same_in_seconds():
    values = json.loads(json.dumps(budget_values(budget_of(SOFTWARE, QUEUES))))
    gpu = next(node for node in values["nodes"] if node["node"] == "queue/gpu")
    assert gpu["official"]["most_s"] == 1289
    assert gpu["bounds"][0]["setting"] == "timeouts.compute_node_s"
    efa = next(step for step in gpu["steps"] if step["step"] == "efa")
    assert (efa["official_s"], efa["baked_s"]) == ([300, 600], [0, 5])
    assert efa["source"].startswith("https://")
    assert values["critical_path"]["nodes"] == ["head", "queue/gpu"]


def test_a_simulation_has_a_row_for_each_queue_and_image_and_says_what_it_assumed():
    fleet = simulate_fleet(spec_of(SOFTWARE + QUEUES), 100)
    assert fleet is not None
    lines = [" ".join(line.split()) for line in fleet_lines(fleet)]
    assert lines[0] == "100 nodes at once, simulated: minutes until they are up"
    assert lines[2].startswith("gpu official 100 ")
    assert lines[3].startswith("gpu baked 100 ")
    assert lines[-1].startswith("Assumed: asked for within 60 s; 5 Gbit/s a node")


def test_nodes_that_never_come_up_have_no_times():
    spec = spec_of(SOFTWARE + QUEUES)
    fleet = simulate_fleet(spec, 5)
    assert fleet is not None
    queue = fleet.queues[0]
    never = queue._replace(official=queue.official._replace(times=None, not_in_time=5))
    values = fleet_values(type(fleet)(5, fleet.assumptions, (never,), ()))
    nothing = dict.fromkeys(("first_s", "median_s", "p99_s", "last_s"))
    assert values["queues"][0]["official"] == {**nothing, "not_in_time": 5}
