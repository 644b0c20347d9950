import pytest

from tests.rules.documents.found import paths

RULE = "cloudformation-default-password"


def parameter(keys: str, name: str = "A") -> str:
    return f"Parameters: {{{name}: {{Type: String, {keys}}}}}\nResources: {{A: {{Type: AWS::EC2::VPC}}}}\n"


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Admin", "NoEcho: true, Default: admin1"),
        ("Admin", "NoEcho: 'true', Default: a"),
        ("DbPassword", "Default: a-b"),
    ],
)
def test_a_default_of_a_password_is_found(name: str, keys: str):
    assert paths(RULE, parameter(keys, name)) == [f"Parameters.{name}.Default"]


@pytest.mark.parametrize(
    "keys",
    [
        "NoEcho: true",
        "NoEcho: true, Default: ''",
        "NoEcho: true, Default: '{{resolve:secretsmanager:a}}'",
        "NoEcho: true, Default: /path/in/the/parameter/store",
        "NoEcho: true, Default: arn:aws:secretsmanager:a",
        "NoEcho: true, Default: <password>",
        "Default: text",
    ],
)
def test_no_default_and_where_a_secret_lies_are_fine(keys: str):
    assert paths(RULE, parameter(keys)) == []


def test_a_choice_is_no_password():
    assert paths(RULE, parameter("Default: 'yes', AllowedValues: ['yes', 'no']", "MakePassword")) == []
