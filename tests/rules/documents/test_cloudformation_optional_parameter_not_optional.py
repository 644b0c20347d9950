import pytest

from tests.rules.documents.found import environment, paths, template

RULE = "cloudformation-optional-parameter-not-optional"


def parameter(written: str) -> str:
    return template(environment("{}"), more=f"Parameters: {{Key: {{{written}}}}}")


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("Type: 'AWS::EC2::KeyPair::KeyName', Default: ''", "Parameters.Key.Default"),
        ("Type: 'AWS::EC2::Image::Id', Default: ''", "Parameters.Key.Default"),
        ("Type: 'AWS::EC2::KeyPair::KeyName', Description: (Optional) for SSH", "Parameters.Key"),
    ],
)
def test_a_parameter_that_cannot_be_left_out_is_found(written: str, path: str):
    assert paths(RULE, parameter(written)) == [path]


@pytest.mark.parametrize(
    "written",
    [
        "Type: String, Default: ''",
        "Type: 'AWS::EC2::KeyPair::KeyName', Description: For SSH",
        "Type: 'AWS::EC2::Image::Id', Default: ami-0123456789abcdef0, Description: optional",
        "Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /a, Description: optional",
    ],
)
def test_text_and_parameters_that_are_given_are_fine(written: str):
    assert paths(RULE, parameter(written)) == []
