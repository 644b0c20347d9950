import pytest

from tests.rules.documents.found import paths, template

RULE = "cloudformation-s3-of-whole-account"


def policy(statement: str) -> str:
    return template(f"IAM::Policy {{PolicyDocument: {{Statement: {statement}}}}}")


@pytest.mark.parametrize(
    "keys",
    [
        "Action: '*', Resource: '*'",
        "Action: ['s3:ListBucket', 's3:GetObject'], Resource: ['*']",
        "Action: s3:*, Resource: 'arn:aws-us-gov:s3:::*'",
    ],
)
def test_statements_about_every_bucket_are_found(keys: str):
    assert paths(RULE, policy(f"[{{Effect: Allow, {keys}}}]")) == ["Resources.A.Properties.PolicyDocument.Statement[0]"]


def test_a_single_statement_and_one_within_a_role_are_found():
    wide = "{Effect: Allow, Action: s3:*, Resource: '*'}"
    assert paths(RULE, policy(wide)) == ["Resources.A.Properties.PolicyDocument.Statement"]
    role = template(f"IAM::Role {{Policies: [{{PolicyDocument: {{Statement: [{wide}]}}}}]}}")
    assert paths(RULE, role) == ["Resources.A.Properties.Policies[0].PolicyDocument.Statement[0]"]


@pytest.mark.parametrize(
    "keys",
    [
        "Effect: Allow, Action: s3:*, Resource: 'arn:aws:s3:::data/*'",
        "Effect: Deny, Action: s3:*, Resource: '*'",
        "Effect: Allow, Action: s3:ListAllMyBuckets, Resource: '*'",
        "Effect: Allow, Action: ec2:Describe*, Resource: '*'",
        "Effect: Allow, Action: s3:*, Resource: '*', Condition: {a: b}",
        "Effect: Allow, Action: s3:*, Resource: !Sub 'arn:aws:s3:::${Bucket}/*'",
    ],
)
def test_named_buckets_lists_and_conditions_are_fine(keys: str):
    assert paths(RULE, policy(f"[{{{keys}}}]")) == []
