import pytest

from tests.rules.found import paths, problems

RULE = "monitoring-instance-architecture"


def spec(instance: str, mode: str = "self-hosting") -> str:
    return f"monitoring: {{mode: {mode}, instance_type: {instance}}}\n"


@pytest.mark.parametrize("instance", ["t4g.medium", "m7g.large", "c7gn.xlarge"])
def test_a_graviton_cannot_boot_the_image(instance: str):
    (problem,) = problems(RULE, spec(instance))
    assert problem.message.startswith(f"{instance} is arm64, and the image")
    assert paths(RULE, spec(instance)) == ["monitoring.instance_type"]


@pytest.mark.parametrize("instance", ["t3.medium", "m5.2xlarge", "x99.large"])
def test_what_is_x86_or_unknown_is_left(instance: str):
    assert paths(RULE, spec(instance)) == []


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_other_modes_have_no_instance(mode: str):
    assert paths(RULE, spec("t4g.medium", mode)) == []
