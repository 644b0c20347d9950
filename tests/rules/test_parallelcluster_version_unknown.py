from tests.rules.found import paths

RULE = "parallelcluster-version-unknown"


def test_a_version_without_facts_is_found():
    assert paths(RULE, "parallelcluster: {version: 4.0.0}") == ["parallelcluster.version"]


def test_another_patch_of_a_known_line_is_fine():
    assert paths(RULE, "parallelcluster: {version: 3.16.3}") == []
