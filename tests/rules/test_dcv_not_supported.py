import pytest

from tests.rules.found import paths, problems

RULE = "dcv-not-supported"


def part(nodes: str, os: str, version: str) -> str:
    return f"{nodes}\nimage: {{os: {os}}}\nparallelcluster: {{version: {version}}}"


def test_a_system_without_dcv_is_found_wherever_there_is_a_desktop():
    nodes = "head_node: {dcv: {}}\nlogin_nodes: [{name: one}, {name: two, dcv: {}}]"
    assert paths(RULE, part(nodes, "alinux2023", "3.12.0")) == ["head_node.dcv", "login_nodes[1].dcv"]


def test_the_message_names_version_system_and_type():
    (problem,) = problems(RULE, part("head_node: {instance_type: m5.8xlarge, dcv: {}}", "alinux2023", "3.12.0"))
    assert problem.message == "ParallelCluster 3.12.0 has no DCV for alinux2023 on m5.8xlarge"


@pytest.mark.parametrize("version", ["3.9.3", "3.14.2", "3.16.1"])
def test_versions_that_have_it_or_know_nothing_against_it_are_fine(version: str):
    assert paths(RULE, part("head_node: {dcv: {}}", "alinux2023", version)) == []


def test_a_processor_that_is_unknown_gets_the_benefit_of_the_doubt():
    assert paths(RULE, part("head_node: {instance_type: zz9.large, dcv: {}}", "ubuntu2204", "3.9.3")) == []


def test_nothing_is_claimed_of_an_unknown_version():
    assert paths(RULE, part("head_node: {dcv: {}}", "alinux2023", "9.9.9")) == []


def test_without_a_desktop_any_system_is_fine():
    assert paths(RULE, part("login_nodes: {count: 1}", "alinux2023", "3.12.0")) == []
