import pytest

from tests.rules.found import paths, problems

RULE = "outside-partition"
GOV = "region: us-gov-west-1\n"
SECRET = "arn:{}:secretsmanager:{}:123456789012:secret:name-AbCdEf"


def test_a_policy_of_the_commercial_partition_is_found_with_the_right_arn():
    (problem,) = problems(RULE, GOV + "iam: {policies: ['arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess']}")
    assert problem.path == ("iam", "policies", 0)
    assert problem.message == (
        "the policy arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess is in the partition aws, "
        "and us-gov-west-1 in aws-us-gov"
    )
    assert problem.remedy == "write arn:aws-us-gov:iam::aws:policy/AmazonS3ReadOnlyAccess"


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-east-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-east-1", "aws-us-gov"), ("eusc-de-east-1", "aws-eusc")],
)
def test_the_partition_of_the_region_is_fine(region: str, partition: str):
    part = f"region: {region}\niam: {{policies: ['arn:{partition}:iam::123456789012:policy/p']}}"
    assert paths(RULE, part) == []
    assert paths(RULE, part.replace(f"arn:{partition}:", "arn:aws-iso:")) == ["iam.policies[0]"]


def test_the_permissions_boundary_is_checked_too():
    part = GOV + "iam: {permissions_boundary: 'arn:aws:iam::123456789012:policy/p'}"
    assert paths(RULE, part) == ["iam.permissions_boundary"]


def test_keys_and_secrets_of_this_region_are_found_by_their_partition():
    key = "arn:aws:kms:us-gov-west-1:123456789012:key/12345678-1234-1234-1234-123456789012"
    secret = SECRET.format("aws", "us-gov-west-1")
    part = f"{GOV}iam: {{kms_key: '{key}'}}\nparallelcluster: {{slurm: {{munge_secret: '{secret}'}}}}"
    assert paths(RULE, part) == ["iam.kms_key", "parallelcluster.slurm.munge_secret"]


def test_what_is_in_another_region_is_left_to_outside_region():
    secret = SECRET.format("aws", "us-east-2")
    assert paths(RULE, f"{GOV}parallelcluster: {{slurm: {{munge_secret: '{secret}'}}}}") == []
    assert len(paths("outside-region", f"{GOV}parallelcluster: {{slurm: {{munge_secret: '{secret}'}}}}")) == 1
