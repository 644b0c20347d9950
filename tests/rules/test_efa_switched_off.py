from tests.rules.found import paths, problems

RULE = "efa-switched-off"
QUEUE = "queues: [{{name: q, instance_type: {type}, nodes: {nodes}, efa: {efa}}}]"


def test_several_nodes_without_their_efa_are_found_with_what_they_lose():
    (problem,) = problems(RULE, QUEUE.format(type="p5.48xlarge", nodes=2, efa="false"))
    assert problem.message == "queue 'q' leaves the EFA of p5.48xlarge and its 3,200 Gbit/s unused"


def test_one_node_has_nobody_to_talk_to_until_there_is_a_second_one():
    (problem,) = problems(RULE, QUEUE.format(type="p5.48xlarge", nodes=1, efa="false"))
    assert problem.severity == "info"
    assert "one node alone does not need" in problem.message
    assert paths(RULE, QUEUE.format(type="g5.8xlarge", nodes=1, efa="false")) == []


def test_a_type_without_efa_loses_nothing():
    assert paths(RULE, QUEUE.format(type="g5.xlarge", nodes=2, efa="false")) == []


def test_efa_that_is_on_is_fine():
    assert paths(RULE, QUEUE.format(type="p5.48xlarge", nodes=2, efa="true")) == []


def test_one_of_several_types_with_efa_is_enough():
    part = "queues: [{name: q, instance_types: [g5.xlarge, g5.8xlarge], nodes: 2, efa: false}]"
    (problem,) = problems(RULE, part)
    assert "the EFA of g5.8xlarge" in problem.message
