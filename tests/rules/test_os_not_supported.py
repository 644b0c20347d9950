from tests.rules.found import paths, problems

RULE = "os-not-supported"


def test_a_removed_system_is_found():
    (problem,) = problems(RULE, "image: {os: alinux2}\nparallelcluster: {version: 3.16.1}")
    assert problem.message == "ParallelCluster 3.16.1 has no alinux2"
    assert problem.remedy is not None
    assert "alinux2023" in problem.remedy


def test_the_same_system_is_fine_with_a_version_that_had_it():
    assert paths(RULE, "image: {os: alinux2}\nparallelcluster: {version: 3.15.1}") == []


def test_a_system_that_came_later_is_found_with_an_older_version():
    assert paths(RULE, "image: {os: ubuntu2404}\nparallelcluster: {version: 3.11.1}") == ["image.os"]


def test_nothing_is_claimed_of_an_unknown_version():
    assert paths(RULE, "image: {os: alinux2}\nparallelcluster: {version: 9.9.9}") == []


def test_other_platforms_have_other_images():
    assert paths(RULE, "platform: eks\nimage: {os: bottlerocket}") == []
