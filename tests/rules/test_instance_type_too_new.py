import pytest

from tests.rules.found import paths, problems

RULE = "instance-type-too-new"
QUEUE = "queues: [{{name: q, {types}}}]\nparallelcluster: {{version: {version}}}"


def of(type_: str, version: str) -> str:
    return QUEUE.format(types=f"instance_type: {type_}", version=version)


@pytest.mark.parametrize(
    ("type_", "before", "since"),
    [
        ("p6-b300.48xlarge", "3.14.2", "3.15.1"),
        ("p6-b200.48xlarge", "3.13.2", "3.14.0"),
        ("p6e-gb200.36xlarge", "3.13.2", "3.14.0"),
    ],
)
def test_a_type_is_found_with_versions_before_the_one_that_brought_it(type_: str, before: str, since: str):
    assert paths(RULE, of(type_, before)) == ["queues[0].instance_type"]
    assert paths(RULE, of(type_, since)) == []


def test_the_message_names_both_versions():
    (problem,) = problems(RULE, of("p6-b300.48xlarge", "3.9.3"))
    assert problem.message == "p6-b300.48xlarge came with ParallelCluster 3.15, and this is 3.9.3"
    assert problem.severity is None


@pytest.mark.parametrize("image", ["image: {ami: ami-0123456789abcdef0}", ""])
def test_an_image_of_the_user_s_may_have_the_drivers(image: str):
    own = ", ami: ami-0123456789abcdef0" if not image else ""
    part = QUEUE.format(types=f"instance_type: p6-b200.48xlarge{own}", version="3.13.2")
    (problem,) = problems(RULE, f"{image}\n{part}")
    assert problem.severity == "warning"


def test_one_of_several_types_is_enough():
    part = QUEUE.format(types="instance_types: [p5.48xlarge, p6-b300.48xlarge]", version="3.14.2")
    assert paths(RULE, part) == ["queues[0].instance_types"]


def test_older_types_are_fine_everywhere():
    assert paths(RULE, of("p5.48xlarge", "3.8.0")) == []


def test_nothing_is_claimed_of_unknown_versions_and_other_platforms():
    assert paths(RULE, of("p6-b300.48xlarge", "9.9.9")) == []
    assert paths(RULE, of("p6-b300.48xlarge", "3.1.0")) == []
    assert paths(RULE, of("p6-b300.48xlarge", "3.14.2") + "\nplatform: eks") == []
