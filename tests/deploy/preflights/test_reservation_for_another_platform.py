from typing import Any

from tests.deploy.preflights.good import IMAGE, changed, found, image, problems, reservation
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "reservation-for-another-platform"
RHEL = "Red Hat Enterprise Linux"


def reserved(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(**of)]}}


def test_a_reservation_for_another_platform_is_found_with_both():
    (problem,) = problems(PREFLIGHT, answers=reserved(InstancePlatform="Windows"))
    assert problem.path == ("queues", 0, "capacity", "reservation")
    assert problem.message == (
        "reservation cr-0123456789abcdef0 is for Windows, and queue 'compute-gpu' boots Linux/UNIX"
    )


def test_red_hat_is_a_platform_of_its_own():
    spec = changed(f"{{os: ubuntu2204, ami: {IMAGE}}}", "{os: rhel9}")
    assert found(PREFLIGHT, spec) == ["queues[0].capacity.reservation"]
    assert found(PREFLIGHT, spec, reserved(InstancePlatform=RHEL)) == []


def test_the_image_s_own_platform_comes_first():
    answers = {"ec2.DescribeImages": listing("Images", [image(PlatformDetails=RHEL)], image_id="ImageId")}
    assert found(PREFLIGHT, answers=answers) == ["queues[0].capacity.reservation"]
    assert found(PREFLIGHT, answers={**answers, **reserved(InstancePlatform=RHEL)}) == []


def test_a_reservation_of_dedicated_hardware_is_found():
    assert found(PREFLIGHT, answers=reserved(Tenancy="dedicated")) == ["queues[0].capacity.reservation"]
