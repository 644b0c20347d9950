import pytest

from tests.rules.found import paths

RULE = "key-not-for-platform"


@pytest.mark.parametrize("platform", ["batch", "eks"])
def test_sections_of_parallelcluster_are_found_on_other_platforms(platform: str):
    part = f"platform: {platform}\nscratch: {{mount: /scratch}}\nparallelcluster: {{version: 3.16.1}}"
    assert paths(RULE, part) == ["scratch", "parallelcluster"]


def test_a_default_that_nobody_wrote_is_not_found():
    assert paths(RULE, "platform: batch") == []


def test_parallelcluster_has_a_use_for_all_of_them():
    assert paths(RULE, "platform: parallelcluster\nscratch: {mount: /scratch}") == []


def test_an_ebs_volume_needs_a_head_node():
    part = "platform: batch\nfile_systems: [{mount: /apps, ebs: {size_gib: 200}}]"
    assert paths(RULE, part) == ["file_systems[0].ebs"]


def test_limits_on_roles_hold_on_every_platform():
    assert paths(RULE, "platform: eks\niam: {resource_prefix: /team/}") == []
