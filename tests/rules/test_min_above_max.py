from tests.rules.found import paths, problems

RULE = "min-above-max"


def test_a_minimum_above_the_maximum_is_found_with_both_numbers():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 8, max: 4}}]")
    assert problem.message == "queue 'q' wants 8 nodes at least and 4 at most"
    assert problem.path == ("queues", 0, "nodes", "min")


def test_equal_numbers_are_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 4, max: 4}}]") == []


def test_a_fixed_number_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: p5.48xlarge, nodes: 4}]") == []


def test_a_number_at_first_lies_between_the_two():
    (problem,) = problems(
        RULE,
        "platform: eks\nqueues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 1, max: 4, desired: 6}}]",
    )
    assert problem.message == "queue 'q' wants 6 nodes at first, and 1 to 4 at any time"
    assert problem.path == ("queues", 0, "nodes", "desired")


def test_without_a_number_at_first_the_least_is_started():
    assert paths(RULE, "platform: eks\nqueues: [{name: q, instance_type: m5.large, nodes: {min: 1, max: 4}}]") == []
