from tests.deploy.preflights.good import changed, problems, reservation

PREFLIGHT = "reservation-of-another-type"


def test_a_reservation_of_another_type_is_found_with_both_types():
    answers = {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(InstanceType="p5e.48xlarge")]}}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert problem.path == ("queues", 0, "capacity", "reservation")
    assert problem.message == (
        "reservation cr-0123456789abcdef0 is for p5e.48xlarge, and queue 'compute-gpu' is of p5.48xlarge"
    )


def test_a_reservation_that_is_not_there_is_another_preflight_s_matter():
    spec = changed("{reservation: cr-0123456789abcdef0}", "{reservation: cr-0123456789abcdef9}")
    assert problems(PREFLIGHT, spec) == []
