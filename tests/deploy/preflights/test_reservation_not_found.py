from typing import Any

from tests.deploy.preflights.good import RESERVATION, changed, found, problems
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "reservation-not-found"
ARN = "arn:aws:resource-groups:us-east-2:123456789012:group/ml"
GROUP = changed(f"{{reservation: {RESERVATION}}}", f'{{reservation_group: "{ARN}"}}')
MEMBER = {
    "ResourceArn": f"arn:aws:ec2:us-east-2:123456789012:capacity-reservation/{RESERVATION}",
    "ResourceType": "AWS::EC2::CapacityReservation",
}
POOL = {"GroupConfiguration": {"Configuration": [{"Type": "AWS::EC2::CapacityReservationPool"}]}}


def group(members: Any, pool: Any = POOL) -> dict[str, Any]:
    listed = members if isinstance(members, Refusal) else {"Resources": [{"Identifier": member} for member in members]}
    return {"resource-groups.ListGroupResources": listed, "resource-groups.GetGroupConfiguration": pool}


def test_a_reservation_that_is_not_there_is_found_with_account_and_region():
    (problem,) = problems(PREFLIGHT, answers={"ec2.DescribeCapacityReservations": {"CapacityReservations": []}})
    assert problem.path == ("queues", 0, "capacity", "reservation")
    assert problem.message == f"account 123456789012 has no reservation {RESERVATION} in us-east-2"


def test_a_capacity_block_that_is_not_there_is_found():
    spec = changed("{reservation: cr-", "{capacity_block: cr-")
    answers: dict[str, Any] = {"ec2.DescribeCapacityReservations": {"CapacityReservations": []}}
    assert found(PREFLIGHT, spec, answers) == ["queues[0].capacity.capacity_block"]


def test_a_group_with_a_reservation_is_fine():
    assert found(PREFLIGHT, GROUP, group([MEMBER])) == []


def test_a_group_that_is_not_there_is_found():
    refused = Refusal("NotFoundException", status=404)
    assert found(PREFLIGHT, GROUP, group(refused)) == ["queues[0].capacity.reservation_group"]


def test_a_group_without_reservations_is_found():
    assert found(PREFLIGHT, GROUP, group([])) == ["queues[0].capacity.reservation_group"]
    other = {"ResourceArn": "arn:aws:ec2:us-east-2:123456789012:instance/i-1", "ResourceType": "AWS::EC2::Instance"}
    assert found(PREFLIGHT, GROUP, group([other])) == ["queues[0].capacity.reservation_group"]


def test_a_group_that_was_made_for_something_else_is_found():
    plain = {"GroupConfiguration": {"Configuration": [{"Type": "AWS::ResourceGroups::Generic"}]}}
    assert found(PREFLIGHT, GROUP, group([MEMBER], plain)) == ["queues[0].capacity.reservation_group"]


def test_of_several_reservations_the_missing_ones_are_found():
    spec = changed(f"{{reservation: {RESERVATION}}}", f"{{reservations: [{RESERVATION}, cr-0123456789abcdef9]}}")
    (problem,) = problems(PREFLIGHT, spec)
    assert problem.path == ("queues", 0, "capacity", "reservations", 1)
    assert problem.message == "account 123456789012 has no reservation cr-0123456789abcdef9 in us-east-2"
