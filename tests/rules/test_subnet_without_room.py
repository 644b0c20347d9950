from tests.rules.found import paths, problems

RULE = "subnet-without-room"
NODES = """
network: {{cidr: 10.20.0.0/20, private_prefix: {prefix}}}
queues: [{{name: q, instance_type: {kind}, nodes: {{min: {least}, max: {most}}}{rest}}}]
"""


def nodes(prefix: int, kind: str, least: int, most: int, rest: str = "") -> str:
    return NODES.format(prefix=prefix, kind=kind, least=least, most=most, rest=rest)


def test_every_node_and_every_interface_with_an_address_takes_room():
    assert paths(RULE, nodes(25, "m5.large", 0, 122)) == []  # with the head node, of 128 less five
    assert paths(RULE, nodes(25, "m5.large", 0, 123)) == ["network.private_prefix"]
    # Of 32 cards with EFA, one takes an address; without EFA all do.
    assert paths(RULE, nodes(25, "p5.48xlarge", 0, 16)) == []
    assert paths(RULE, nodes(25, "p5.48xlarge", 0, 16, ", efa: false")) == ["network.private_prefix"]


def test_it_is_an_error_where_nodes_that_always_run_have_no_room():
    (problem,) = problems(RULE, nodes(25, "m5.large", 0, 200))
    assert (problem.severity, problem.message) == (
        "warning",
        "the head node, queue 'q' need 201 addresses, and 10.20.15.128/25 has 123 for them",
    )
    (problem,) = problems(RULE, nodes(25, "m5.large", 150, 200))
    assert problem.severity == "error"
    assert "need 151 addresses" in problem.message


def test_networks_of_others_and_nodes_of_several_zones_are_not_counted():
    spread = ", availability_zone: [us-east-2a, us-east-2b]"
    assert paths(RULE, nodes(25, "m5.large", 0, 500, spread)) == []
    assert paths(RULE, "queues: [{name: q, instance_type: m5.large, nodes: {max: 20000}}]") == []
