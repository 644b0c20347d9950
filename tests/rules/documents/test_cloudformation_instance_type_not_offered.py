import pytest

from tests.rules.documents.found import environment, multi_node, paths, template

RULE = "cloudformation-instance-type-not-offered"


def found(types: str, wanted: str) -> list[str]:
    return paths(RULE, template(environment(types), multi_node(f"{{Image: a:1, InstanceType: {wanted}}}")))


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ("{InstanceTypes: [p4d.24xlarge]}", "p5.48xlarge"),
        ("{InstanceTypes: [p5]}", "p5en.48xlarge"),
        ("{InstanceTypes: [optimal, default_x86_64]}", "p5.48xlarge"),
    ],
)
def test_a_type_that_nothing_starts_is_found(types: str, wanted: str):
    place = "Resources.B.Properties.NodeProperties.NodeRangeProperties[0].Container.InstanceType"
    assert found(types, wanted) == [place]


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ("{InstanceTypes: [p4d.24xlarge, p5.48xlarge]}", "p5.48xlarge"),
        ("{InstanceTypes: [p5]}", "p5.48xlarge"),
        ("{InstanceTypes: [optimal]}", "c5.4xlarge"),
        ("{InstanceTypes: {Ref: Types}}", "p5.48xlarge"),
        ("{MaxvCpus: 4}", "p5.48xlarge"),
        ("{InstanceTypes: [p4d.24xlarge]}", "{Ref: Type}"),
    ],
    ids=["type", "family", "general", "unknown-list", "no-list", "unknown-type"],
)
def test_what_may_be_started_or_nobody_knows_is_fine(types: str, wanted: str):
    assert found(types, wanted) == []
