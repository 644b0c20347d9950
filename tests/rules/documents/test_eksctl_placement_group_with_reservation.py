import pytest

from tests.rules.documents.found import managed, paths

RULE = "eksctl-placement-group-with-reservation"
TARGET = "capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-1}}"


def test_self_managed_efa_nodes_of_a_reservation_are_found():
    assert paths(RULE, f"nodeGroups: [{{name: ng, efaEnabled: true, {TARGET}}}]") == ["nodeGroups[0]"]


@pytest.mark.parametrize(
    "keys", [TARGET, "efaEnabled: true", f"efaEnabled: true, placement: {{groupName: pg}}, {TARGET}"]
)
def test_without_efa_or_a_reservation_or_with_a_group_of_one_s_own_it_is_fine(keys: str):
    assert paths(RULE, f"nodeGroups: [{{name: ng, {keys}}}]") == []


def test_for_managed_node_groups_eksctl_makes_none():
    assert paths(RULE, managed(f"efaEnabled: true, {TARGET}")) == []
