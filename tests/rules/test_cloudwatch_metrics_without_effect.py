import pytest

from tests.rules.found import paths, problems

RULE = "cloudwatch-metrics-without-effect"
QUEUE = "queues: [{{name: q, instance_type: {}{}}}]"


def metrics(groups: str, type_: str = "p5.48xlarge", rest: str = "") -> str:
    return f"monitoring: {{cloudwatch_metrics: [{groups}]}}\n" + QUEUE.format(type_, rest)


def test_metrics_without_the_agent_that_sends_them_are_found_once():
    spec = "monitoring: {logs: false, cloudwatch_metrics: [system, gpu, gpu]}"
    assert paths(RULE, spec) == ["monitoring.cloudwatch_metrics"]
    assert paths(RULE, "monitoring: {logs: false}") == []


@pytest.mark.parametrize("group", ["gpu", "efa", "efa-interfaces"])
def test_a_group_that_no_node_can_give_is_found(group: str):
    assert paths(RULE, metrics(f"system, {group}", "m5.8xlarge")) == ["monitoring.cloudwatch_metrics[1]"]


@pytest.mark.parametrize("type_", ["p5.48xlarge", "p9.48xlarge"])
def test_types_that_have_it_and_unknown_ones_are_fine(type_: str):
    assert paths(RULE, metrics("system, gpu, efa, efa-interfaces, slurm", type_)) == []


def test_trainium_has_no_gpus_but_efa():
    assert paths(RULE, metrics("gpu, efa", "trn1.32xlarge")) == ["monitoring.cloudwatch_metrics[0]"]


def test_efa_that_is_switched_off_is_not_there():
    assert paths(RULE, metrics("efa", rest=", efa: false")) == ["monitoring.cloudwatch_metrics[0]"]


def test_what_is_there_twice_is_named():
    (problem,) = problems(RULE, metrics("slurm, system, slurm"))
    assert problem.path == ("monitoring", "cloudwatch_metrics", 2)
    assert problem.message == "slurm is there twice"
