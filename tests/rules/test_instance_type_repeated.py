from tests.rules.found import paths, problems

RULE = "instance-type-repeated"
QUEUE = "queues: [{{name: q, instance_types: [{}]}}]"


def test_a_type_that_is_listed_again_is_found_once_with_how_often():
    (problem,) = problems(RULE, QUEUE.format("m5.large, m5.xlarge, m5.large, m5.large"))
    assert problem.path == ("queues", 0, "instance_types")
    assert problem.message == "queue 'q' lists m5.large 3 times"


def test_every_repeated_type_is_found():
    assert len(problems(RULE, QUEUE.format("m5.large, c5.large, c5.large, m5.large"))) == 2


def test_different_types_are_fine():
    assert paths(RULE, QUEUE.format("m5.large, m5.xlarge")) == []
    assert paths(RULE, QUEUE.format("m5.large")) == []


def test_the_long_form_names_its_compute_resource():
    part = "queues: [{name: q, compute_resources: [{instance_type: a.b}, {instance_types: [m5.large, m5.large]}]}]"
    assert paths(RULE, part) == ["queues[0].compute_resources[1].instance_types"]


def test_two_compute_resources_may_have_one_type():
    part = "queues: [{name: q, compute_resources: [{instance_type: m5.large}, {instance_type: m5.large}]}]"
    assert paths(RULE, part) == []
