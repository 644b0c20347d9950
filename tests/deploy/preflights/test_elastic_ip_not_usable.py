from typing import Any

from tests.deploy.preflights.good import ADDRESS, changed, found, problems

PREFLIGHT = "elastic-ip-not-usable"


def address(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeAddresses": {"Addresses": [{"PublicIp": ADDRESS, **of}]}}


def test_an_address_that_the_account_does_not_own_is_found():
    (problem,) = problems(PREFLIGHT, answers={"ec2.DescribeAddresses": {"Addresses": []}})
    assert problem.path == ("head_node", "elastic_ip")
    assert problem.message == f"account 123456789012 owns no address {ADDRESS} in us-east-2"


def test_an_address_that_something_else_uses_is_found():
    used = address(AssociationId="eipassoc-1", InstanceId="i-1")
    (problem,) = problems(PREFLIGHT, answers=used)
    assert problem.message == f"address {ADDRESS} is in use by i-1"


def test_the_head_node_of_this_cluster_may_have_it_already():
    mine = {"InstanceId": "i-1", "Tags": [{"Key": "parallelcluster:cluster-name", "Value": "llm-p5"}]}
    answers = {
        **address(AssociationId="eipassoc-1", InstanceId="i-1"),
        "ec2.DescribeInstances": {"Reservations": [{"Instances": [mine]}]},
    }
    assert found(PREFLIGHT, answers=answers) == []


def test_a_new_address_is_another_preflight_s_matter():
    spec = changed(f"elastic_ip: {ADDRESS}", "elastic_ip: true")
    assert found(PREFLIGHT, spec, {"ec2.DescribeAddresses": {"Addresses": []}}) == []
