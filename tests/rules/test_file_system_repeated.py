import pytest

from tests.rules.found import paths, problems

RULE = "file-system-repeated"


def part(*settings: str) -> str:
    mounts = (f"{{mount: /data{number}, {one}}}" for number, one in enumerate(settings))
    return f"file_systems: [{', '.join(mounts)}]"


@pytest.mark.parametrize(
    "one",
    [
        "lustre: {id: fs-0123456789abcdef0}",
        "efs: {id: fs-0123456789abcdef0}",
        "ebs: {id: vol-0123456789abcdef0}",
        "openzfs: {id: fsvol-0123456789abcdef0}",
    ],
)
def test_a_file_system_of_any_kind_is_found_at_its_second_place(one: str):
    kind = one.partition(":")[0]
    assert paths(RULE, part(one, one)) == [f"file_systems[1].{kind}.id"]


def test_every_further_place_is_compared_with_the_first():
    one = "lustre: {id: fs-0123456789abcdef0}"
    assert [problem.message for problem in problems(RULE, part(one, one, one))] == [
        "fs-0123456789abcdef0 is mounted at /data0 already",
        "fs-0123456789abcdef0 is mounted at /data0 already",
    ]


def test_another_access_point_leads_to_the_same_file_system():
    one = "efs: {id: fs-0123456789abcdef0, access_point: fsap-0123456789abcdef0}"
    other = "efs: {id: fs-0123456789abcdef0, access_point: fsap-0123456789abcdef1}"
    assert paths(RULE, part(one, other)) == ["file_systems[1].efs.id"]


def test_file_systems_to_be_made_are_made_each():
    assert paths(RULE, part("ebs: {size_gib: 200}", "ebs: {size_gib: 200}", "efs: {}", "efs: {}")) == []


def test_an_environment_may_have_several():
    shared = ("lustre: {id: environment}", "lustre: {id: environment}", "openzfs: {id: environment}")
    assert paths(RULE, f"environment: shared\n{part(*shared)}") == []
