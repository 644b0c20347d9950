from tests.deploy.preflights.good import GROUP, PRIVATE, PUBLIC, found, subnet
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "outside-vpc"
OTHER = "vpc-0123456789abcdef9"


def test_a_subnet_of_another_vpc_is_found():
    subnets = [subnet(PUBLIC), subnet(PRIVATE, VpcId=OTHER)]
    answers = {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}
    assert found(PREFLIGHT, answers=answers) == ["network.existing.private_subnets[0]"]


def test_a_security_group_of_another_vpc_is_found():
    answers = {"ec2.DescribeSecurityGroups": {"SecurityGroups": [{"GroupId": GROUP, "VpcId": OTHER}]}}
    assert found(PREFLIGHT, answers=answers) == ["network.existing.security_groups[0]"]
