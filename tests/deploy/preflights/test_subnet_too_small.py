from typing import Any

from tests.deploy.preflights.good import OWN_NETWORK, PRIVATE, PUBLIC, changed, found, problems, subnet
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "subnet-too-small"


def free(count: int) -> dict[str, Any]:
    subnets = [subnet(PUBLIC), subnet(PRIVATE, AvailableIpAddressCount=count)]
    return {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}


def test_static_nodes_without_an_address_are_an_error():
    (problem,) = problems(PREFLIGHT, answers=free(3))
    assert problem.path == ("network", "existing", "private_subnets", 0)
    assert problem.message == f"{PRIVATE} has 3 free addresses, and queue 'compute-gpu', queue 'preprocess' need 4"
    assert problem.severity == "error"


def test_dynamic_nodes_without_an_address_are_a_warning():
    assert found(PREFLIGHT, answers=free(7)) == ["network.existing.private_subnets[0] (warning)"]
    assert found(PREFLIGHT, answers=free(8)) == []


def test_without_efa_every_network_card_takes_an_address():
    spec = changed("    nodes: 4\n", "    nodes: 4\n    efa: false\n")
    assert found(PREFLIGHT, spec, free(4 * 32 + 4)) == []
    assert found(PREFLIGHT, spec, free(4 * 32 - 1)) == ["network.existing.private_subnets[0]"]


def test_addresses_that_this_cluster_holds_already_are_its_own():
    interfaces = [{"SubnetId": PRIVATE, "PrivateIpAddresses": [{"PrivateIpAddress": "10.0.0.1"}]}]
    mine = {"InstanceId": "i-1", "NetworkInterfaces": interfaces,
            "Tags": [{"Key": "parallelcluster:cluster-name", "Value": "llm-p5"}]}  # fmt: skip
    answers = {**free(7), "ec2.DescribeInstances": {"Reservations": [{"Instances": [mine]}]}}
    assert found(PREFLIGHT, answers=answers) == []


def test_a_subnet_that_is_yet_to_be_made_is_not_asked_for():
    assert found(PREFLIGHT, OWN_NETWORK, {"ec2.DescribeSubnets": {}}) == []


def test_a_subnet_of_a_stack_that_exists_is_looked_at():
    assert found(PREFLIGHT, OWN_NETWORK, free(3), outputs={"PrimaryPrivateSubnet": PRIVATE}) == ["network (warning)"]
