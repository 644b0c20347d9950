import pytest

from tests.rules.found import paths, problems

RULE = "device-plugin-missing"


def of_type(*names: str, platform: str = "eks") -> str:
    types = f"instance_type: {names[0]}" if len(names) == 1 else f"instance_types: [{', '.join(names)}]"
    return f"platform: {platform}\nqueues: [{{name: gpu, {types}}}]"


@pytest.mark.parametrize(
    ("name", "resource"),
    [
        ("g9g.16xlarge", "nvidia.com/gpu"),
        ("gr9.8xlarge", "nvidia.com/gpu"),
        ("p9-b900.48xlarge", "nvidia.com/gpu"),
        ("inf9.48xlarge", "aws.amazon.com/neuron"),
    ],
)
def test_a_type_of_a_family_with_accelerators_that_nobody_knows_is_found(name: str, resource: str):
    (problem,) = problems(RULE, of_type(name))
    assert problem.path == ("queues", 0, "instance_type")
    assert name in problem.message
    assert resource in problem.message


def test_each_of_several_types_is_looked_at():
    assert paths(RULE, of_type("g5.8xlarge", "g9g.16xlarge")) == ["queues[0].instance_types[1]"]


@pytest.mark.parametrize("name", ["p5.48xlarge", "trn1.32xlarge", "c7i.8xlarge", "g4ad.16xlarge", "hpc7g.16xlarge"])
def test_known_types_and_those_without_such_accelerators_are_fine(name: str):
    assert paths(RULE, of_type(name)) == []


def test_other_platforms_have_no_device_plugins():
    assert paths(RULE, of_type("g9g.16xlarge", platform="parallelcluster")) == []
