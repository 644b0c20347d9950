import pytest

from tests.rules.documents.found import environment, launching, paths, template

RULE = "cloudformation-image-id-literal"
PATH = "/aws/service/ecs/optimized-ami/amazon-linux-2023/recommended/image_id"


@pytest.mark.parametrize(
    "resource",
    [
        environment(f"{{ImageId: {PATH}}}"),
        environment(f"{{Ec2Configuration: [{{ImageIdOverride: {PATH}}}]}}"),
        launching(f"{{ImageId: {PATH}}}"),
    ],
)
def test_a_path_is_found_wherever_an_image_is_named(resource: str):
    assert len(paths(RULE, template(resource))) == 1


@pytest.mark.parametrize(
    ("type_", "found"),
    [("String", 1), ("AWS::EC2::Image::Id", 1), ("AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>", 0)],
)
def test_a_default_is_a_path_unless_its_type_has_it_looked_up(type_: str, found: int):
    more = f"Parameters: {{AMI: {{Type: '{type_}', Default: {PATH}}}}}"
    assert len(paths(RULE, template(environment("{ImageId: !Ref AMI}"), more=more))) == found


def test_ids_and_dynamic_references_are_fine():
    assert paths(RULE, template(environment("{ImageId: ami-0123456789abcdef0}"))) == []
    assert paths(RULE, template(launching(f"{{ImageId: '{{{{resolve:ssm:{PATH}}}}}'}}"))) == []
