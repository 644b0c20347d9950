import pytest

from tests.rules.documents.found import problems, template

RULE = "cloudformation-broad-policy"


def judged(arn: str) -> list[str | None]:
    return [problem.severity for problem in problems(RULE, template(f"IAM::Role {{ManagedPolicyArns: [{arn}]}}"))]


@pytest.mark.parametrize(
    ("arn", "severity"),
    [
        ("arn:aws:iam::aws:policy/AdministratorAccess", None),
        ("!Sub 'arn:${AWS::Partition}:iam::aws:policy/AmazonS3ReadOnlyAccess'", None),
        ("!Join ['', ['arn:', !Ref 'AWS::Partition', ':iam::aws:policy/PowerUserAccess']]", None),
        ("!If [a, 'arn:aws:iam::aws:policy/AmazonS3FullAccess', !Ref AWS::NoValue]", None),
        ("arn:aws:iam::aws:policy/AmazonFSxReadOnlyAccess", "info"),
    ],
)
def test_policies_that_name_no_resource_are_found(arn: str, severity: str | None):
    assert judged(arn) == [severity]


@pytest.mark.parametrize("arn", ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore", "!Ref Own", "[]"])
def test_narrow_policies_and_own_ones_are_fine(arn: str):
    assert judged(arn) == []
