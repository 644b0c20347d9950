from tests.rules.found import paths

RULE = "name-repeated"


def test_two_queues_of_one_name_are_found_at_the_second():
    part = "queues: [{name: q, instance_type: p5.48xlarge}, {name: q, instance_type: m5.large}]"
    assert paths(RULE, part) == ["queues[1].name"]


def test_two_compute_resources_of_one_name_are_found():
    part = "queues: [{name: q, compute_resources: [{name: a, instance_type: p5.48xlarge}, {name: a, instance_type: m5.large}]}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].compute_resources[1].name"]


def test_one_type_twice_gets_names_that_differ_by_themselves():
    part = "queues: [{name: q, compute_resources: [{instance_type: m5.large}, {instance_type: m5.large}]}]"
    assert paths(RULE, part) == []


def test_one_compute_resource_name_in_two_queues_is_fine():
    part = "queues: [{name: a, instance_type: m5.large}, {name: b, instance_type: m5.large}]"
    assert paths(RULE, part) == []


def test_two_pools_of_login_nodes_with_one_name_are_found():
    assert paths(RULE, "login_nodes: [{name: a}, {name: b}, {name: a}]") == ["login_nodes[2].name"]


def test_two_pools_that_keep_the_default_name_are_found():
    assert paths(RULE, "login_nodes: [{count: 1}, {count: 2}]") == ["login_nodes[1].name"]


def test_a_pool_may_be_called_like_a_queue():
    assert paths(RULE, "login_nodes: {name: q}\nqueues: [{name: q, instance_type: m5.large}]") == []
