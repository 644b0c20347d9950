from tests.rules.found import paths, problems

RULE = "node-group-name-not-allowed"
TWO_KINDS = """\
platform: eks
queues:
  - {name: a-b, instance_type: g5.xlarge}
  - name: a
    compute_resources: [{name: b, instance_type: g5.xlarge}, {name: c, instance_type: g5.2xlarge}]
"""


def test_the_name_of_the_system_nodes_is_taken():
    (problem,) = problems(RULE, "platform: eks\nqueues: [{name: system, instance_type: g5.xlarge}]")
    assert problem.path == ("queues", 0, "name")
    assert problem.message == "a node group of the system nodes is called 'system' already"


def test_two_queues_whose_names_come_out_alike_are_found():
    assert paths(RULE, TWO_KINDS) == ["queues[1].compute_resources[0].name"]


def test_names_that_no_stack_holds_are_found_where_they_are_longest():
    longest = f"name: {'c' * 60}\nplatform: eks\nqueues:\n  - name: {'q' * 25}\n    compute_resources: "
    assert paths(RULE, f"{longest}[{{name: {'r' * 25}, instance_type: g5.xlarge}}]") == [
        "queues[0].compute_resources[0].name"
    ]
    assert paths(RULE, f"{longest}[{{name: {'r' * 24}, instance_type: g5.xlarge}}]") == []


def test_other_platforms_name_no_such_stacks():
    assert paths(RULE, "queues: [{name: system, instance_type: g5.xlarge}]") == []
