from tests.deploy.preflights.good import OWN_NETWORK, PRIVATE, PUBLIC, RESERVATION, changed, found, reservation, subnet
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "reservation-in-another-zone"
RESERVED = changed("nodes: {min: 0, max: 4}", f"nodes: 4, capacity: {{reservation: {RESERVATION}}}", OWN_NETWORK)
ELSEWHERE = {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(AvailabilityZone="us-east-2c")]}}


def test_the_subnet_of_an_existing_network_decides():
    other = [subnet(PUBLIC), subnet(PRIVATE, AvailabilityZone="us-east-2b")]
    answers = {"ec2.DescribeSubnets": listing("Subnets", other, subnet_id="SubnetId")}
    assert found(PREFLIGHT, answers=answers) == ["queues[0].subnet"]


def test_of_a_network_that_is_to_be_made_the_zone_decides():
    assert found(PREFLIGHT, RESERVED, ELSEWHERE) == ["network.availability_zone"]
    assert found(PREFLIGHT, RESERVED) == []


def test_the_zone_of_the_queue_comes_before_the_network_s():
    spec = changed("nodes: 4", "availability_zone: us-east-2b, nodes: 4", RESERVED)
    assert found(PREFLIGHT, spec) == ["queues[0].availability_zone"]
    assert found(PREFLIGHT, spec.replace("us-east-2b", "us-east-2c"), ELSEWHERE) == []


def test_the_subnets_of_stacks_that_exist_decide_where_they_are_known():
    outputs = {"PrimaryPrivateSubnet": PRIVATE}
    answers = {**ELSEWHERE}
    assert found(PREFLIGHT, RESERVED, answers, outputs=outputs) == ["network.availability_zone"]
    assert found(PREFLIGHT, RESERVED, outputs=outputs) == []


def test_no_zone_at_all_is_a_warning():
    spec = changed("network: {availability_zone: us-east-2a}\n", "", RESERVED)
    assert found(PREFLIGHT, spec) == ["network.availability_zone (warning)"]
