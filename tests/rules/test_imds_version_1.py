from tests.rules.found import paths

RULE = "imds-version-1"


def test_the_first_version_is_found():
    assert paths(RULE, "parallelcluster: {imds: v1.0}") == ["parallelcluster.imds"]


def test_the_second_version_is_the_default():
    assert paths(RULE, "parallelcluster: {version: 3.16.1}") == []
