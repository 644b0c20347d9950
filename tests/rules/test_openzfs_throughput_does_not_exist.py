import pytest

from tests.rules.found import paths, problems

RULE = "openzfs-throughput-does-not-exist"


def part(deployment: str, throughput_mb_s: int) -> str:
    openzfs = f"{{size_gib: 512, deployment: {deployment}, throughput_mb_s: {throughput_mb_s}}}"
    return f"file_systems: [{{mount: /home, openzfs: {openzfs}}}]"


@pytest.mark.parametrize(
    ("deployment", "throughput_mb_s"),
    [("SINGLE_AZ_1", 160), ("SINGLE_AZ_2", 64), ("SINGLE_AZ_HA_1", 63), ("SINGLE_AZ_HA_2", 10_241)],
)
def test_a_throughput_of_another_generation_is_found(deployment: str, throughput_mb_s: int):
    assert paths(RULE, part(deployment, throughput_mb_s)) == ["file_systems[0].openzfs.throughput_mb_s"]


def test_what_can_be_chosen_is_named():
    (problem,) = problems(RULE, part("SINGLE_AZ_HA_2", 128))
    assert problem.message == "FSx for OpenZFS SINGLE_AZ_HA_2 has no 128 MB/s"
    assert problem.remedy is not None
    assert problem.remedy.startswith("choose one of 160, 320, ")


@pytest.mark.parametrize(
    ("deployment", "throughput_mb_s"),
    [("SINGLE_AZ_1", 64), ("SINGLE_AZ_2", 10_240), ("SINGLE_AZ_HA_1", 128), ("SINGLE_AZ_HA_2", 160)],
)
def test_throughputs_that_exist_are_fine(deployment: str, throughput_mb_s: int):
    assert paths(RULE, part(deployment, throughput_mb_s)) == []


def test_without_a_throughput_the_least_is_taken():
    assert paths(RULE, "file_systems: [{mount: /home, openzfs: {size_gib: 512}}]") == []
