import pytest

from tests.rules.found import paths, problems

RULE = "accelerator-on-head-or-login"


@pytest.mark.parametrize("type_", ["g5.12xlarge", "trn1.2xlarge", "p5.48xlarge"])
def test_accelerators_on_the_head_node_are_found(type_: str):
    assert paths(RULE, f"head_node: {{instance_type: {type_}}}") == ["head_node.instance_type"]


def test_accelerators_on_login_nodes_are_found_in_both_forms():
    (problem,) = problems(RULE, "login_nodes: {instance_type: g5.xlarge}")
    assert problem.path == ("login_nodes", "instance_type")
    assert problem.message == "g5.xlarge gives a login node 1 A10G, which no job can use"
    pools = "login_nodes: [{name: a}, {name: b, instance_type: g5.xlarge}]"
    assert paths(RULE, pools) == ["login_nodes[1].instance_type"]


def test_a_remote_desktop_has_use_for_a_gpu_where_it_runs():
    assert paths(RULE, "head_node: {instance_type: g5.xlarge, dcv: {}}") == []
    assert paths(RULE, "login_nodes: {instance_type: g5.xlarge, dcv: {}}") == []
    part = "head_node: {instance_type: g5.xlarge}\nlogin_nodes: {dcv: {}}"
    assert paths(RULE, part) == ["head_node.instance_type"]


def test_cpu_types_and_unknown_ones_are_fine():
    part = "head_node: {instance_type: c5.2xlarge}\nlogin_nodes: {instance_type: m7i.large}"
    assert paths(RULE, part) == []


def test_queues_are_for_accelerators():
    assert paths(RULE, "queues: [{name: q, instance_type: g5.12xlarge}]") == []
