import pytest

from tests.rules.documents.found import environment, paths, template

RULE = "cloudformation-vcpus-contradict"
PLACE = "Resources.A.Properties.ComputeResources"


@pytest.mark.parametrize(
    ("numbers", "key"),
    [
        ("DesiredvCpus: 2, MaxvCpus: 1", "DesiredvCpus"),
        ("MinvCpus: '200', MaxvCpus: 100", "MinvCpus"),
        ("MaxvCpus: 95, InstanceTypes: [p4d.24xlarge]", "MaxvCpus"),
    ],
)
def test_numbers_that_leave_no_room_are_found(numbers: str, key: str):
    assert paths(RULE, template(environment(f"{{{numbers}}}"))) == [f"{PLACE}.{key}"]


@pytest.mark.parametrize(
    "numbers",
    [
        "MinvCpus: 0, DesiredvCpus: 0, MaxvCpus: 96, InstanceTypes: [p4d.24xlarge]",
        "DesiredvCpus: 4",
        "DesiredvCpus: !Ref Wanted, MaxvCpus: 1",
        "DesiredvCpus: true, MaxvCpus: 1, InstanceTypes: [x9.metal]",
    ],
)
def test_numbers_in_order_and_unknown_ones_are_fine(numbers: str):
    assert paths(RULE, template(environment(f"{{{numbers}}}"))) == []
