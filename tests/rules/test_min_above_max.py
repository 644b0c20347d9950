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
