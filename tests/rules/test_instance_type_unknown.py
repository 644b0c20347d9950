from tests.rules.found import paths, problems

RULE = "instance-type-unknown"


def test_a_mistyped_name_is_found_with_those_that_may_be_meant():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: p5.49xlarge}]")
    assert problem.remedy is not None
    assert problem.remedy.startswith("did you mean p5.48xlarge or p5.4xlarge?")


def test_a_near_miss_that_is_no_name_of_ec2_is_an_error_with_the_name_that_is_meant():
    meant = {
        "p5.48xlrge": "p5.48xlarge",
        "p5.48xlargee": "p5.48xlarge",
        "pp5.48xlarge": "p5.48xlarge",
        "m7g.8xlage": "m7g.8xlarge",
        "g6e.12-xlarge": "g6e.12xlarge",
    }
    for name, known in meant.items():
        for part in ("queues: [{{name: q, instance_type: {}}}]", "head_node: {{instance_type: {}}}"):
            (problem,) = problems(RULE, part.format(name))
            assert problem.severity == "error", name
            assert problem.remedy is not None
            assert known in problem.remedy, name
            assert problem.message == f"{name} is no instance type of EC2"


def test_a_name_that_ec2_may_give_next_is_a_warning_however_near_it_is():
    for name in ("p5.96xlarge", "p7.48xlarge", "p6e-gb300.36xlarge", "trn3.48xlarge", "m10g.large"):
        severities = [problem.severity for problem in problems(RULE, f"queues: [{{name: q, instance_type: {name}}}]")]
        assert severities in ([None], ["info"]), name


def test_a_name_like_no_other_is_only_noted_because_it_may_well_exist():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: y7.2large}]")
    assert problem.severity == "info"
    assert problem.remedy is not None
    assert "did you mean" not in problem.remedy


def test_known_names_are_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: p6-b200.48xlarge}]") == []


def test_each_of_several_types_is_looked_up():
    part = "queues: [{name: q, instance_types: [g5.12xlarge, g5.13xlarge]}]"
    assert paths(RULE, part) == ["queues[0].instance_types[1]"]


def test_types_of_head_and_login_nodes_are_looked_up_too():
    part = "head_node: {instance_type: m55.4xlarge}\nlogin_nodes: [{name: a}, {name: b, instance_type: c99q.large}]"
    head, login = problems(RULE, part)
    assert (head.path, head.severity) == (("head_node", "instance_type"), None)
    assert head.remedy is not None
    assert head.remedy.startswith("did you mean m5.")
    assert login.path == ("login_nodes", 1, "instance_type")


def test_graviton_is_known_for_head_nodes_beside_gb200():
    for name in ("m7g.xlarge", "m8g.xlarge", "c7g.2xlarge", "m5.4xlarge"):
        assert paths(RULE, f"head_node: {{instance_type: {name}}}") == []


def test_the_default_types_of_head_and_login_nodes_are_known():
    assert paths(RULE, "login_nodes: {count: 2}") == []


def test_the_architecture_that_a_name_tells_is_looked_at_all_the_same():
    (problem,) = problems(RULE, "head_node: {instance_type: m55.xlarge}")
    assert problem.message == "no facts about m55.xlarge, so its accelerators were not looked at"
