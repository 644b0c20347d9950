import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-reservation-key-misspelt"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("capacityReservationId", "capacityReservationID"),
        ("capacityreservationid", "capacityReservationID"),
        ("id", "capacityReservationID"),
        ("CapacityReservationResourceGroupArn", "capacityReservationResourceGroupARN"),
    ],
)
def test_a_key_that_eksctl_drops_is_found_with_the_right_one(key: str, meant: str):
    (problem,) = problems(RULE, managed(f"capacityReservation: {{capacityReservationTarget: {{{key}: cr-1}}}}"))
    assert problem.path[-1] == key
    assert "empty CapacityReservationTarget" in problem.message
    assert (problem.remedy or "").startswith(f"write {meant},")


def test_self_managed_node_groups_are_read_too():
    target = "capacityReservationTarget: {capacityReservationId: cr-1}"
    place = "nodeGroups[0].capacityReservation.capacityReservationTarget.capacityReservationId"
    assert paths(RULE, f"nodeGroups: [{{name: ng, capacityReservation: {{{target}}}}}]") == [place]


def test_an_id_one_level_too_high_is_found():
    place = "managedNodeGroups[0].capacityReservation.capacityReservationID"
    assert paths(RULE, managed("capacityReservation: {capacityReservationID: cr-1}")) == [place]


@pytest.mark.parametrize(
    "reservation",
    [
        "{capacityReservationPreference: open}",
        "{capacityReservationTarget: {capacityReservationID: cr-1}}",
        "{capacityReservationTarget: {capacityReservationResourceGroupARN: arn}}",
    ],
)
def test_reservations_that_eksctl_reads_are_fine(reservation: str):
    assert paths(RULE, managed(f"capacityReservation: {reservation}")) == []
