import pytest

from tests.rules.found import paths

RULE = "efa-node-group-with-several-types"


def queue(types: str, more: str = "") -> str:
    return f"platform: eks\nqueues: [{{name: q, instance_types: [{types}]{more}}}]"


@pytest.mark.parametrize("types", ["p4d.24xlarge, p4de.24xlarge", "p4d.24xlarge, p5.48xlarge"])
def test_several_types_with_efa_are_found(types: str):
    assert paths(RULE, queue(types)) == ["queues[0].instance_types"]


@pytest.mark.parametrize(
    ("types", "more"),
    [
        ("p4d.24xlarge, p4de.24xlarge", ", efa: false"),
        ("g5.xlarge, g5.2xlarge", ""),
        ("p4d.24xlarge, p4d.24xlarge", ""),
    ],
)
def test_types_without_efa_and_one_type_are_fine(types: str, more: str):
    assert paths(RULE, queue(types, more)) == []


def test_slurm_takes_several_types():
    assert paths(RULE, "queues: [{name: q, instance_types: [p4d.24xlarge, p4de.24xlarge]}]") == []
