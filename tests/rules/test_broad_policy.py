import pytest

from tests.rules.found import paths, problems

RULE = "broad-policy"


def policies(*names: str) -> str:
    return f"iam: {{policies: [{', '.join(f'arn:aws:iam::{name}' for name in names)}]}}"


@pytest.mark.parametrize(
    "name",
    [
        "AmazonS3ReadOnlyAccess",
        "AmazonS3FullAccess",
        "AmazonEC2FullAccess",
        "ReadOnlyAccess",
        "AdministratorAccess",
        "PowerUserAccess",
        "job-function/ViewOnlyReadOnlyAccess",
    ],
)
def test_a_policy_that_reaches_the_whole_account_is_found(name: str):
    assert paths(RULE, policies("123456789012:policy/mine", f"aws:policy/{name}")) == ["iam.policies[1]"]


@pytest.mark.parametrize(
    "name",
    ["aws:policy/AmazonSSMManagedInstanceCore", "123456789012:policy/AmazonS3FullAccess", "aws:policy/AWSXrayWrite"],
)
def test_others_are_not(name: str):
    assert paths(RULE, policies(name)) == []


def test_the_key_for_buckets_is_the_way_for_s3_and_a_policy_of_ones_own_otherwise():
    s3, ec2 = problems(RULE, policies("aws:policy/AmazonS3ReadOnlyAccess", "aws:policy/AmazonEC2FullAccess"))
    assert "iam.read_buckets" in str(s3.remedy)
    assert "iam.read_buckets" not in str(ec2.remedy)


def test_the_policies_of_jobs_are_looked_at_too():
    part = "platform: batch\nbatch: {job_policies: ['arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess']}"
    assert paths(RULE, part) == ["batch.job_policies[0]"]
