import pytest

from tests.rules.found import paths, problems

RULE = "ultraserver-not-whole"
QUEUE = (
    "queues: [{{name: q, instance_type: {type}, nodes: {nodes}, capacity: {{capacity_block: cr-0123456789abcdef0}}}}]"
)


def queue(nodes: int, type_: str = "p6e-gb200.36xlarge") -> str:
    return QUEUE.format(type=type_, nodes=nodes)


@pytest.mark.parametrize("nodes", [9, 18])
def test_a_whole_ultraserver_is_fine(nodes: int):
    assert paths(RULE, queue(nodes)) == []


@pytest.mark.parametrize("nodes", [1, 7, 10, 17])
def test_a_part_of_one_is_a_warning(nodes: int):
    (problem,) = problems(RULE, queue(nodes))
    assert (problem.path, problem.severity) == (("queues", 0, "nodes"), None)
    assert problem.message == f"queue 'q' has {nodes} p6e-gb200.36xlarge, and UltraServers have 9 or 18"


def test_more_than_the_largest_is_an_error_because_a_block_is_one_ultraserver():
    (problem,) = problems(RULE, queue(19))
    assert problem.severity == "error"


@pytest.mark.parametrize("type_", ["p5.48xlarge", "p9.unknown"])
def test_other_types_come_in_any_number(type_: str):
    assert paths(RULE, queue(7, type_)) == []


def test_other_capacity_is_another_rule_s_matter():
    assert paths(RULE, "queues: [{name: q, instance_type: p6e-gb200.36xlarge, nodes: 7}]") == []
