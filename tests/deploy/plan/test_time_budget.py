"""How long each kind of nodes takes, and what ends it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.specs import spec_of, spec_texts
from trainyard.deploy.plan.time_bounds import bounds
from trainyard.deploy.plan.time_budget import OWN_SCRIPTS, NodeTime, TimeBudget, time_budget
from trainyard.rules.timeout_below_bootstrap import queue_seconds, seconds_with_nodes
from trainyard.spec.parsing import parse

GPU = "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
RESERVED = "capacity: {reservation: cr-0123456789abcdef0}"
STATIC = "queues: [{name: q, instance_type: g5.12xlarge, nodes: 4}]\n"
LOGIN = "login_nodes: {count: 1}\n"


def budget_of(*parts: str) -> TimeBudget:
    budget = time_budget(spec_of("".join(parts)))
    assert budget is not None
    return budget


def node(name: str, *parts: str) -> NodeTime:
    return next(node_time for node_time in budget_of(*parts).nodes if node_time.name == name)


def test_steps_follow_each_other_and_their_times_add_up():
    node_time = node("queue/q", GPU, STATIC)
    names = [step.name for step in node_time.steps]
    assert names[:4] == ["boot", "packages", "imds", "efa"]
    assert node_time.official[:2] == (149 + 300 + 180, 329 + 600 + 180 + 120 + 60)


def test_what_nobody_measured_is_named_and_not_counted():
    assert node("queue/q", GPU, STATIC).official.unknown == ("packages", "imds", "nvidia-toolkit", "node-package")
    assert (
        OWN_SCRIPTS
        in node("head", "head_node: {custom_actions: {on_start: [{script: 's3://mine/a.sh'}]}}").official.unknown
    )


def test_a_baked_image_leaves_what_has_to_happen_at_boot():
    node_time = node("queue/q", GPU, STATIC)
    # efa and docker are looked at only; packages and the toolkit are measured with neither image.
    assert node_time.baked[:2] == (149, 329 + 2 * 5 + 120 + 60)
    assert node_time.saved[:2] == (295 + 175, 600 + 180)


def test_the_image_s_own_efa_is_only_looked_at():
    node_time = node("queue/q", "software: {setup: gpu}\n", STATIC)
    efa = next(step for step in node_time.steps if step.name == "efa")
    assert efa.official == (0, 5)
    assert not efa.network


def test_a_cluster_that_installs_nothing_only_boots():
    assert [step.name for step in node("queue/q", STATIC).steps] == ["boot"]


def test_deferred_steps_stand_apart():
    asked = "software: {containers: true, container_images: [nvcr.io#nvidia/pytorch:25.10-py3]}\n"
    node_time = node(
        "head", asked, "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]\n"
    )
    assert node_time.deferred.unknown == ("images",)
    assert "images" not in node_time.official.unknown


def test_the_longest_chain_is_the_head_node_and_the_slowest_of_those_it_waits_for():
    queues = (
        "queues: [{name: a, instance_type: m5.large, setup: cpu}, {name: b, instance_type: g5.xlarge, setup: gpu}]\n"
    )
    budget = budget_of(GPU, queues)
    assert [node_time.name for node_time in budget.critical] == ["head", "queue/b"]
    assert budget.official.most_s == sum(node_time.official.most_s for node_time in budget.critical)
    assert budget.baked.most_s < budget.official.most_s


def test_the_head_node_does_not_wait_for_nodes_that_are_held_back_or_start_when_needed():
    elastic = "queues: [{name: q, instance_type: g5.12xlarge, nodes: {min: 0, max: 4}}]\n"
    held_back = f"queues: [{{name: q, instance_type: p5.48xlarge, nodes: 4, {RESERVED}}}]\n"
    assert [node_time.name for node_time in budget_of(GPU, elastic).critical] == ["head"]
    assert [node_time.name for node_time in budget_of(GPU, held_back).critical] == ["head"]


@pytest.mark.parametrize("part", ["platform: eks\n", "platform: batch\n"])
def test_other_platforms_have_no_such_budget(part):
    assert time_budget(spec_of(part)) is None


def test_each_kind_of_nodes_has_its_own_bound():
    spec = spec_of(LOGIN + "timeouts: {head_node_s: 3600, compute_node_s: 2400}\n")
    (head,) = bounds(spec, "head")
    (compute,) = bounds(spec, "queue/q")
    assert (head.setting, head.seconds, head.changeable) == ("timeouts.head_node_s", 3600, False)
    assert (compute.setting, compute.seconds, compute.changeable) == ("timeouts.compute_node_s", 2400, True)


@pytest.mark.parametrize(("compute_node_s", "order"), [(2400, [600, 2400]), (300, [300, 600])])
def test_a_login_node_is_bound_by_a_hook_that_no_setting_changes(compute_node_s, order):
    spec = spec_of(LOGIN + f"timeouts: {{compute_node_s: {compute_node_s}}}\n")
    found = bounds(spec, "login")
    assert [bound.seconds for bound in found] == order
    assert next(bound.setting for bound in found if bound.seconds == 600) is None


@settings(deadline=None)
@given(spec_texts())
def test_the_rule_about_timeouts_counts_as_the_plan_does(text):
    spec = parse(text, "cluster.yaml").spec
    budget = time_budget(spec)
    if budget is None:
        return
    nodes = {node_time.name: node_time for node_time in budget.nodes}
    for queue in spec.queues:
        assert queue_seconds(spec, queue) == nodes[f"queue/{queue.name}"].official[:2]
    assert seconds_with_nodes(spec)[1] >= budget.official.most_s
