import pytest

from tests.rules.found import paths, problems

RULE = "architectures-mixed"
ARM_QUEUE = "queues: [{name: q, instance_type: hpc7g.16xlarge}]"
ARM_HEAD = "head_node: {instance_type: hpc7g.16xlarge}\n"


def test_arm64_nodes_beside_the_default_head_node_are_found():
    (problem,) = problems(RULE, "queues: [{name: q, instance_type: hpc7g.16xlarge}]")
    assert problem.path == ("queues", 0, "instance_type")
    assert problem.message == "hpc7g.16xlarge is arm64, and the head node, m5.8xlarge, is x86_64"
    assert problem.remedy == "choose x86_64 here, or arm64 for the head node and every other node"


def test_ultraservers_are_arm64_too():
    assert paths(RULE, "queues: [{name: q, instance_type: p6e-gb200.36xlarge}]") == ["queues[0].instance_type"]


def test_each_of_several_types_is_compared():
    part = "queues: [{name: q, instance_types: [m5.8xlarge, hpc7g.16xlarge]}]"
    assert paths(RULE, part) == ["queues[0].instance_types[1]"]


def test_compute_resources_and_login_nodes_are_compared():
    part = "login_nodes: [{name: a, instance_type: hpc7g.16xlarge}]\nqueues: [{name: q, compute_resources: [{instance_type: hpc7g.16xlarge}]}]"  # noqa: E501
    assert paths(RULE, part) == ["login_nodes[0].instance_type", "queues[0].compute_resources[0].instance_type"]


def test_x86_64_nodes_beside_an_arm64_head_node_are_found():
    assert paths(RULE, ARM_HEAD) == ["queues[0].instance_type"]


def test_one_architecture_everywhere_is_fine():
    assert paths(RULE, "login_nodes: {count: 1}") == []
    part = "login_nodes: {instance_type: hpc7g.16xlarge}\nqueues: [{name: q, instance_type: hpc7g.16xlarge}]"
    assert paths(RULE, ARM_HEAD + part) == []


def test_a_type_without_facts_is_known_by_its_name():
    assert paths(RULE, "queues: [{name: q, instance_type: c8gn.48xlarge}]") == ["queues[0].instance_type"]
    assert paths(RULE, ARM_HEAD + "queues: [{name: q, instance_type: c8gn.48xlarge}]") == []


@pytest.mark.parametrize("head", ["m5.xlarge", "c5.large", "t3.micro", "r5n.large", "g6e.xlarge"])
def test_an_x86_64_head_node_without_facts_is_known_by_its_name(head):
    assert paths(RULE, f"head_node: {{instance_type: {head}}}\n" + ARM_QUEUE) == ["queues[0].instance_type"]
    assert paths(RULE, ARM_HEAD + f"queues: [{{name: q, instance_type: {head}}}]") == ["queues[0].instance_type"]


def test_nothing_is_claimed_of_unknown_types():
    assert paths(RULE, "head_node: {instance_type: u-6tb1.metal}\n" + ARM_QUEUE) == []
    assert paths(RULE, ARM_HEAD + "queues: [{name: q, instance_type: u-6tb1.metal}]") == []


def test_other_platforms_have_no_head_node():
    assert paths(RULE, "platform: batch\nqueues: [{name: q, instance_type: hpc7g.16xlarge}]") == []
