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


def test_each_of_several_types_is_looked_up():
    part = "queues: [{name: q, instance_types: [g5.12xlarge, g5.13xlarge]}]"
    assert paths(RULE, part) == ["queues[0].instance_types[1]"]


def test_types_of_head_and_login_nodes_are_only_noted_because_most_cpu_types_are_not_listed():
    part = "head_node: {instance_type: m5.4xlarge}\nlogin_nodes: [{name: a}, {name: b, instance_type: c9.large}]"
    head, login = problems(RULE, part)
    assert (head.path, head.severity) == (("head_node", "instance_type"), "info")
    assert head.remedy is not None
    assert head.remedy.startswith("did you mean m5.")
    assert (login.path, login.severity) == (("login_nodes", 1, "instance_type"), "info")


def test_the_default_types_of_head_and_login_nodes_are_known():
    assert paths(RULE, "login_nodes: {count: 2}") == []


def test_the_architecture_that_a_name_tells_is_looked_at_all_the_same():
    (problem,) = problems(RULE, "head_node: {instance_type: m5.xlarge}")
    assert problem.message == "no facts about m5.xlarge, so its accelerators were not looked at"
