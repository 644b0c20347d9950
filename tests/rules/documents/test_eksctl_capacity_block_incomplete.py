from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-capacity-block-incomplete"
BLOCK = "instanceMarketOptions: {marketType: capacity-block}"
TARGET = "capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-1}}"


def test_a_market_without_its_block_is_found():
    assert paths(RULE, managed(BLOCK)) == ["managedNodeGroups[0].instanceMarketOptions.marketType"]


def test_a_type_that_comes_in_blocks_only_needs_the_market():
    (problem,) = problems(RULE, managed(f"instanceType: p6e-gb200.36xlarge, {TARGET}"))
    assert problem.path == ("managedNodeGroups", 0, "instanceType")


def test_a_market_that_ec2_has_not_is_found_with_those_that_it_has():
    (problem,) = problems(RULE, managed("instanceMarketOptions: {marketType: CAPACITY_BLOCK}"))
    assert "'CAPACITY_BLOCK'" in problem.message
    assert problem.remedy == "write one of capacity-block, spot"


def test_both_halves_are_fine_and_so_is_a_plain_reservation():
    assert paths(RULE, managed(f"{BLOCK}, {TARGET}")) == []
    assert paths(RULE, managed(TARGET)) == []


def test_a_misspelt_target_is_left_to_its_own_rule():
    misspelt = "capacityReservation: {capacityReservationTarget: {capacityReservationId: cr-1}}"
    assert paths(RULE, managed(f"{BLOCK}, {misspelt}")) == []
