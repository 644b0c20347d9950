import pytest

from tests.rules.found import paths, problems

RULE = "system-nodes-not-suited"


def of_type(name: str) -> str:
    return f"platform: eks\neks: {{system_nodes: {{instance_type: {name}}}}}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("g5.8xlarge", "1 A10G"),
        ("trn1.32xlarge", "lie idle"),
        ("t3.medium", "2 vCPUs and 4 GiB"),
        ("t3.micro", "2 vCPUs and 1 GiB"),
        ("t4g.small", "2 vCPUs and 2 GiB"),
        ("t99.small", "2 GiB at most"),
    ],
)
def test_accelerators_and_little_memory_are_found(name: str, words: str):
    (problem,) = problems(RULE, of_type(name))
    assert problem.path == ("eks", "system_nodes", "instance_type")
    assert name in problem.message
    assert words in problem.message


@pytest.mark.parametrize("name", ["c5.2xlarge", "m5.large", "m7i.xlarge", "t3.large", "t99.large"])
def test_types_that_are_large_enough_or_unknown_are_fine(name: str):
    assert paths(RULE, of_type(name)) == []


def test_other_platforms_have_no_system_nodes():
    assert paths(RULE, "eks: {system_nodes: {instance_type: g5.8xlarge}}") == []
