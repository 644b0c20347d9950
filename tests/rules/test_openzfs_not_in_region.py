import pytest

from tests.rules.found import paths, problems

RULE = "openzfs-not-in-region"


def part(region: str, openzfs: str) -> str:
    return f"region: {region}\nfile_systems: [{{mount: /home, openzfs: {{{openzfs}}}}}]"


@pytest.mark.parametrize("region", ["us-east-1", "us-east-2", "us-west-2", "eu-west-1"])
def test_what_templates_name_is_not_offered_in_the_largest_regions(region: str):
    (problem,) = problems(RULE, part(region, "size_gib: 512, deployment: SINGLE_AZ_HA_1"))
    assert problem.message == f"{region} has no FSx for OpenZFS SINGLE_AZ_HA_1"
    assert problem.path == ("file_systems", 0, "openzfs", "deployment")


def test_the_advice_names_deployments_in_one_zone_only():
    (problem,) = problems(RULE, part("us-east-2", "size_gib: 512, deployment: SINGLE_AZ_HA_1"))
    assert problem.remedy == "choose one of SINGLE_AZ_1, SINGLE_AZ_2, SINGLE_AZ_HA_2"


def test_the_default_exists_in_the_same_region():
    assert paths(RULE, part("us-east-2", "size_gib: 512")) == []


def test_nothing_is_claimed_of_a_region_that_nobody_has_looked_at():
    assert paths(RULE, part("xx-nowhere-9", "size_gib: 512, deployment: SINGLE_AZ_HA_1")) == []


def test_a_volume_that_exists_is_where_it_is():
    assert paths(RULE, part("us-east-2", "id: fsvol-0123456789abcdef0, deployment: SINGLE_AZ_HA_1")) == []
