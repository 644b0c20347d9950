import pytest

from tests.rules.found import paths, problems

RULE = "placement-group-for-inference"
QUEUE = "queues: [{{name: q, instance_type: {type}, nodes: {nodes}, placement_group: {placed}{more}}}]"


def queue(type_: str, nodes: str, more: str = "", placed: str = "true") -> str:
    return QUEUE.format(type=type_, nodes=nodes, placed=placed, more=more)


def test_a_placement_group_of_one_node_is_found_also_with_efa():
    (problem,) = problems(RULE, queue("g5.12xlarge", "{min: 0, max: 1}"))
    assert problem.path == ("queues", 0, "placement_group")
    assert problem.message == "queue 'q' has one g5.12xlarge, and a placement group around it"
    assert paths(RULE, queue("p5.48xlarge", "1")) == ["queues[0].placement_group"]


@pytest.mark.parametrize(("type_", "more"), [("g5.xlarge", ""), ("g5.12xlarge", ", efa: false")])
def test_several_nodes_without_efa_are_only_noted_because_they_may_talk_to_each_other(type_: str, more: str):
    (problem,) = problems(RULE, queue(type_, "{min: 0, max: 8}", more))
    assert problem.severity == "info"


def test_several_nodes_with_efa_belong_together():
    assert paths(RULE, queue("p5.48xlarge", "4")) == []
    assert paths(RULE, queue("g5.12xlarge", "{min: 0, max: 2}")) == []


def test_one_of_several_types_with_efa_is_enough():
    part = "queues: [{name: q, instance_types: [g5.xlarge, g5.8xlarge], nodes: 4, placement_group: true}]"
    assert paths(RULE, part) == []


@pytest.mark.parametrize("placed", ["false", "null"])
def test_without_a_placement_group_there_is_nothing_to_say(placed: str):
    assert paths(RULE, queue("g5.12xlarge", "1", placed=placed)) == []


def test_reserved_capacity_is_another_rule_s_matter():
    assert paths(RULE, queue("g5.12xlarge", "1", ", capacity: {reservation: cr-0123456789abcdef0}")) == []


INFERENCE = "queues: [{{name: inference-gpu, instance_type: g5.48xlarge, nodes: {{min: 0, max: 10}}{more}}}]"


@pytest.mark.parametrize("more", ["", ", placement_group: true", ", placement_group: null"])
def test_a_queue_for_inference_is_found_by_its_name_also_where_its_group_is_the_default(more: str):
    (problem,) = problems(RULE, INFERENCE.format(more=more))
    assert (problem.path, problem.severity) == (("queues", 0, "placement_group"), None)
    assert problem.message == "queue 'inference-gpu' launches up to 10 g5.48xlarge close together for inference"
    assert problem.remedy == "write placement_group: false"


@pytest.mark.parametrize(
    "more", [", placement_group: false", ", efa: false", ", capacity: {reservation: cr-0123456789abcdef0}"]
)
def test_a_queue_for_inference_that_gets_no_group_is_fine(more: str):
    assert paths(RULE, INFERENCE.format(more=more)) == []
