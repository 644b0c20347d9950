import pytest

from tests.rules.found import paths, problems

RULE = "static-priority-not-first"
QUEUE = "queues: [{{name: q, instance_type: m5.large, nodes: {{min: 1, max: 4}}{}}}]"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", []),
        (", static_priority: 999", []),
        (", static_priority: 1000", ["queues[0].static_priority"]),
        (", static_priority: 2000", ["queues[0].static_priority"]),
        (", static_priority: 2000, dynamic_priority: 2001", []),
        (", static_priority: 20, dynamic_priority: 10", ["queues[0].static_priority"]),
        (", dynamic_priority: 1", ["queues[0].dynamic_priority"]),
        (", dynamic_priority: 2", []),
    ],
)
def test_the_highest_static_number_has_to_be_below_the_lowest_dynamic_one(written: str, found: list[str]):
    assert paths(RULE, QUEUE.format(written)) == found


def test_the_message_names_both_kinds_with_their_numbers():
    (problem,) = problems(RULE, QUEUE.format(", static_priority: 2000"))
    assert problem.message == (
        "queue 'q' gives m5.large that always run priority 2,000, and m5.large that start when needed 1,000"
    )


def two(first: str, second: str) -> str:
    return f"queues: [{{name: q, compute_resources: [{{instance_type: a.b{first}}}, {{instance_type: c.d{second}}}]}}]"


def test_kinds_of_nodes_in_one_queue_are_compared_with_each_other():
    part = two(", nodes: 2, static_priority: 500", ", nodes: {min: 0, max: 4}, dynamic_priority: 100")
    assert paths(RULE, part) == ["queues[0].compute_resources[0].static_priority"]


def test_the_dynamic_number_is_named_where_the_static_one_is_not_written():
    part = two(", nodes: 2", ", nodes: {min: 0, max: 4}, dynamic_priority: 1")
    assert paths(RULE, part) == ["queues[0].compute_resources[1].dynamic_priority"]


def test_kinds_of_nodes_that_have_none_of_either_do_not_count():
    assert paths(RULE, two(", nodes: 2, static_priority: 5000", ", nodes: 2")) == []
    assert paths(RULE, two(", nodes: {min: 0, max: 1}, static_priority: 5000", ", nodes: {min: 0, max: 1}")) == []


def test_two_queues_are_not_compared():
    part = (
        "queues: [{name: q, instance_type: a.b, nodes: 2, static_priority: 5000},"
        " {name: r, instance_type: a.b, nodes: {min: 0, max: 4}}]"
    )
    assert paths(RULE, part) == []
