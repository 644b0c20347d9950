from tests.rules.found import paths, problems

RULE = "efa-not-supported"

QUEUE = "queues: [{{name: q, instance_type: {type}, efa: {efa}}}]"


def test_efa_on_a_size_without_it_is_found():
    assert paths(RULE, QUEUE.format(type="g5.xlarge", efa="true")) == ["queues[0].efa"]


def test_efa_on_a_larger_size_of_the_same_family_is_fine():
    assert paths(RULE, QUEUE.format(type="g5.48xlarge", efa="true")) == []


def test_efa_switched_off_is_fine():
    assert paths(RULE, QUEUE.format(type="g5.xlarge", efa="false")) == []


def test_nothing_is_claimed_of_an_unknown_type():
    assert paths(RULE, QUEUE.format(type="p9.48xlarge", efa="true")) == []


def test_each_of_several_types_has_to_have_it():
    part = "queues: [{name: q, instance_types: [g5.8xlarge, g5.xlarge, g4dn.8xlarge], efa: true}]"
    (problem,) = problems(RULE, part)
    assert problem.message == "g5.xlarge has no Elastic Fabric Adapter"
