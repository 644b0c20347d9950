from tests.rules.found import paths, problems

RULE = "instance-type-unknown"


def test_a_mistyped_name_is_found_with_those_that_may_be_meant():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: p5.49xlarge}]")
    assert problem.remedy is not None
    assert problem.remedy.startswith("did you mean p5.48xlarge or p5.4xlarge?")


def test_a_name_like_no_other_is_only_noted_because_it_may_well_exist():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: m7i.24xlarge}]")
    assert problem.severity == "info"
    assert problem.remedy is not None
    assert "did you mean" not in problem.remedy


def test_known_names_are_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: p6-b200.48xlarge}]") == []
