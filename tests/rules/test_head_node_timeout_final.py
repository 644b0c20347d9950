import pytest

from tests.rules.found import paths, problems

RULE = "head-node-timeout-final"
STATIC = "queues: [{name: q, instance_type: p5.48xlarge, nodes: 4%s}]"
MUCH = "\nsoftware: {containers: true, efa_version: 1.48.0}"
SCRIPTS = "custom_actions: {before_setup: [{script: 's3://mine/a.sh'}]}"


def test_nodes_that_always_run_and_install_much_are_noted():
    (problem,) = problems(RULE, STATIC % ", setup: gpu" + MUCH)
    assert problem.path == ("queues", 0)
    assert problem.message == (
        "the head node waits for 4 × p5.48xlarge with setup gpu within the 2,100 s that it has by default"
    )


def test_scripts_of_one_s_own_are_noted_wherever_the_head_node_waits_for_them():
    assert paths(RULE, f"head_node: {{{SCRIPTS}}}") == ["head_node.custom_actions"]
    assert paths(RULE, STATIC % f", {SCRIPTS}") == ["queues[0]"]
    elastic = f"queues: [{{name: q, instance_type: p5.48xlarge, nodes: {{max: 4}}, {SCRIPTS}}}]"
    assert paths(RULE, elastic) == []


@pytest.mark.parametrize("written", [2100, 3600])
def test_a_timeout_that_was_written_was_chosen(written: int):
    part = STATIC % ", setup: gpu" + MUCH + f"\ntimeouts: {{head_node_s: {written}}}"
    assert paths(RULE, part) == []


def test_the_timeout_of_compute_nodes_is_another():
    part = STATIC % ", setup: gpu" + MUCH + "\ntimeouts: {compute_node_s: 2400}"
    assert paths(RULE, part) == ["queues[0]"]


@pytest.mark.parametrize(
    "part",
    [
        STATIC % "",
        STATIC % ", setup: cpu",
        STATIC % ", setup: gpu",
        STATIC % ", setup: gpu, capacity: {capacity_block: cr-0123456789abcdef0}" + MUCH,
        "queues: [{name: q, instance_type: p5.48xlarge, nodes: {max: 4}, setup: gpu}]" + MUCH,
        "monitoring: {mode: amp-only}\nsoftware: {containers: true}",
    ],
)
def test_the_default_is_plenty_where_less_than_half_of_it_is_needed(part: str):
    assert paths(RULE, part) == []


def test_only_scripts_after_an_update_do_not_count():
    assert paths(RULE, "head_node: {custom_actions: {on_update: [{script: 's3://mine/a.sh'}]}}") == []


def test_other_platforms_have_no_head_node():
    assert paths(RULE, "platform: batch\n" + STATIC % ", setup: gpu" + MUCH) == []
