import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-reservation-zone-unclear"
RESERVED = "capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-1}}"


def test_a_node_group_without_a_zone_is_found():
    (problem,) = problems(RULE, managed(f"instanceType: p5.48xlarge, {RESERVED}"))
    assert problem.path == ("managedNodeGroups", 0)
    assert problem.message == "node group 'ng' uses cr-1 and names no zone or subnet"


def test_several_zones_are_found_where_eksctl_takes_them():
    assert paths(RULE, managed(f"availabilityZones: [us-east-2a, us-east-2b], {RESERVED}")) == ["managedNodeGroups[0]"]


@pytest.mark.parametrize(
    "keys",
    [
        f"availabilityZones: [us-east-2a], {RESERVED}",
        f"subnets: [subnet-1], {RESERVED}",
        "capacityReservation: {capacityReservationPreference: open}",
        "capacityReservation: {capacityReservationTarget: {capacityReservationResourceGroupARN: arn}}",
    ],
)
def test_one_zone_and_groups_of_reservations_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
