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


def with_nodes(type_: str, os: str, version: str) -> str:
    queue = f"{{name: q, instance_type: {type_}}}"
    return f"queues: [{queue}]\nimage: {{os: {os}}}\nparallelcluster: {{version: {version}}}"


def test_a_system_that_the_version_refuses_for_an_instance_type_is_found():
    (problem,) = problems(RULE, with_nodes("p6e-gb200.36xlarge", "rhel9", "3.16.1"))
    assert problem.path == ("image", "os")
    assert problem.message == "ParallelCluster 3.16.1 has no rhel9 for p6e-gb200.36xlarge"
    assert problem.remedy == "choose one of alinux2023, ubuntu2204, ubuntu2404, rocky9"


def test_lists_for_instance_types_differ_by_version():
    assert paths(RULE, with_nodes("p6-b300.48xlarge", "alinux2", "3.15.1")) == ["image.os"]
    assert paths(RULE, with_nodes("p6-b300.48xlarge", "alinux2", "3.14.2")) == []
    assert paths(RULE, with_nodes("p6-b300.48xlarge", "rhel9", "3.15.1")) == []


def test_a_system_that_is_gone_is_found_once_and_not_for_each_type():
    assert paths(RULE, with_nodes("p6e-gb200.36xlarge", "alinux2", "3.16.1")) == ["image.os"]


def test_two_queues_of_one_type_are_one_finding():
    queues = ", ".join(f"{{name: {name}, instance_type: p6e-gb200.36xlarge}}" for name in "qr")
    assert paths(RULE, f"queues: [{queues}]\nimage: {{os: rhel8}}") == ["image.os"]
