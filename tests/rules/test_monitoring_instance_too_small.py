import pytest

from tests.rules.found import paths, problems

RULE = "monitoring-instance-too-small"


def spec(nodes: int, instance: str = "", mode: str = "self-hosting") -> str:
    return (
        f"queues: [{{name: q, instance_type: p5.48xlarge, nodes: {{min: 0, max: {nodes}}}}}]\n"
        "software: {setup: gpu}\n"
        f"monitoring: {{mode: {mode}{f', instance_type: {instance}' if instance else ''}}}\n"
    )


def test_a_few_nodes_fit_on_the_default():
    assert paths(RULE, spec(32)) == []


def test_hundreds_do_not():
    assert paths(RULE, spec(400)) == ["monitoring.instance_type"]


def test_it_says_how_much_is_needed_and_which_type_has_it():
    (problem,) = problems(RULE, spec(400))
    assert "series of 401 nodes need" in problem.message
    assert problem.message.endswith("and t3.medium has 4,096")
    assert problem.remedy == "write instance_type: m5.large, or another type with so much memory"
    assert paths(RULE, spec(400, "m5.large")) == []


def test_what_no_instance_holds_is_for_a_service():
    (problem,) = problems(RULE, spec(40_000))
    assert problem.remedy == "let Amazon Managed Prometheus keep them, with mode: amp-only or amp+amg"


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_other_modes_have_no_instance(mode: str):
    assert paths(RULE, spec(400, mode=mode)) == []


def test_of_an_unknown_type_nothing_is_said():
    assert paths(RULE, spec(400, "r7i.large")) == []
    assert paths(RULE, spec(400).replace("p5.48xlarge", "x99.large")) == []
