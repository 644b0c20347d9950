import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-spot-for-training"
TARGET = "capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-1}}"


@pytest.mark.parametrize("spot", ["spot: true", "instanceMarketOptions: {marketType: spot}"])
def test_spot_with_efa_is_a_warning_and_with_a_reservation_an_error(spot: str):
    (with_efa,) = problems(RULE, managed(f"{spot}, efaEnabled: true"))
    assert with_efa.severity is None
    (reserved,) = problems(RULE, managed(f"{spot}, {TARGET}"))
    assert reserved.severity == "error"


def test_spot_for_single_nodes_and_efa_on_demand_are_fine():
    assert paths(RULE, managed("spot: true")) == []
    assert paths(RULE, managed("spot: false, efaEnabled: true")) == []
