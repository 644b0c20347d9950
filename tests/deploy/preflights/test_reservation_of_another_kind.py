from tests.deploy.preflights.good import changed, problems, reservation

PREFLIGHT = "reservation-of-another-kind"
BLOCK = {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(ReservationType="capacity-block")]}}
AS_BLOCK = changed("{reservation: cr-", "{capacity_block: cr-")


def test_a_capacity_block_under_reservation_is_found_with_the_right_key():
    (problem,) = problems(PREFLIGHT, answers=BLOCK)
    assert problem.path == ("queues", 0, "capacity", "reservation")
    assert problem.remedy == "write capacity_block: cr-0123456789abcdef0"


def test_a_reservation_under_capacity_block_is_found_with_the_right_key():
    (problem,) = problems(PREFLIGHT, AS_BLOCK)
    assert problem.path == ("queues", 0, "capacity", "capacity_block")
    assert problem.remedy == "write reservation: cr-0123456789abcdef0"


def test_a_capacity_block_under_its_own_key_is_fine():
    assert problems(PREFLIGHT, AS_BLOCK, BLOCK) == []
