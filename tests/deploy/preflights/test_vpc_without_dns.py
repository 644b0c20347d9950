import pytest

from tests.deploy.preflights.good import OWN_NETWORK, VPC, found, problems

PREFLIGHT = "vpc-without-dns"


@pytest.mark.parametrize("off", ["enableDnsSupport", "enableDnsHostnames"])
def test_a_vpc_where_dns_is_off_is_found(off):
    def answer(asked):
        name = asked["Attribute"]
        return {name[0].upper() + name[1:]: {"Value": name != off}, "VpcId": VPC}

    (problem,) = problems(PREFLIGHT, answers={"ec2.DescribeVpcAttribute": answer})
    assert problem.path == ("network", "existing", "vpc")


def test_a_vpc_that_is_yet_to_be_made_is_not_asked_for():
    assert found(PREFLIGHT, OWN_NETWORK, {"ec2.DescribeVpcAttribute": {}}) == []
