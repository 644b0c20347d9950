from typing import Any

import pytest

from tests.deploy.preflights.good import PRIVATE, problems, subnet
from tests.deploy.preflights.on_eks import IN_VPC, SPEC
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "zone-without-control-plane"
OTHER = "subnet-0123456789abcdef2"


def zones(**ids: str) -> dict[str, Any]:
    made = [{"ZoneName": f"us-east-2{letter}", "ZoneId": id_, "State": "available"} for letter, id_ in ids.items()]
    subnets = [subnet(PRIVATE), subnet(OTHER, AvailabilityZone="us-east-2b")]
    return {
        "ec2.DescribeAvailabilityZones": {"AvailabilityZones": made},
        "ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId"),
    }


def test_zones_with_control_planes_are_fine():
    assert problems(PREFLIGHT, SPEC, zones(a="use2-az1", b="use2-az2")) == []


@pytest.mark.parametrize("id_", ["use1-az3", "usw1-az2", "cac1-az3"])
def test_the_others_are_found_by_their_ids(id_):
    (problem,) = problems(PREFLIGHT, SPEC, zones(a="use2-az1", b=id_))
    assert problem.path == ("network", "secondary_availability_zone")
    assert problem.message == f"zone us-east-2b is {id_} in account 123456789012, where EKS has no control plane"


def test_subnets_of_an_existing_vpc_count_too():
    (problem,) = problems(PREFLIGHT, IN_VPC, zones(a="use2-az1", b="use1-az3"))
    assert problem.path == ("network", "existing", "private_subnets", 1)


def test_other_platforms_have_no_control_plane():
    assert problems(PREFLIGHT, answers=zones(a="use1-az3", b="use1-az3", c="use1-az3")) == []
