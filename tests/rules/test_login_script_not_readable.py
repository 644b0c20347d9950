import pytest

from tests.rules.found import paths, problems

RULE = "login-script-not-readable"
POOL = "login_nodes: {custom_actions: {after_setup: [{script: s3://my-bucket/a/login.sh}]}}"


def policies(*arns: str) -> str:
    return f"\niam: {{policies: [{', '.join(f'{arn!r}' for arn in arns)}]}}"


def test_a_script_in_s3_is_found_with_the_bucket_that_the_policy_is_for():
    (problem,) = problems(RULE, POOL)
    assert problem.path == ("login_nodes", "custom_actions", "after_setup", 0, "script")
    assert problem.message == "nothing lets the login nodes of pool 'login' read s3://my-bucket/a/login.sh"
    assert problem.remedy is not None
    assert "s3:GetObject on my-bucket" in problem.remedy


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:iam::123456789012:policy/whatever",
        "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
        "arn:aws-us-gov:iam::aws:policy/AdministratorAccess",
    ],
)
def test_a_policy_that_may_be_meant_for_it_is_enough(arn: str):
    assert paths(RULE, POOL + policies("arn:aws:iam::aws:policy/IAMReadOnlyAccess", arn)) == []


@pytest.mark.parametrize("name", ["AmazonEC2ContainerRegistryReadOnly", "AmazonS3FilesReadOnlyAccess"])
def test_policies_of_aws_for_something_else_do_not_count(name: str):
    assert len(paths(RULE, POOL + policies(f"arn:aws:iam::aws:policy/{name}"))) == 1


def test_the_policy_of_nodes_that_install_anything_names_the_scripts():
    assert paths(RULE, f"{POOL}\nsoftware: {{setup: cpu}}") == []
    assert len(paths(RULE, f"{POOL}\niam: {{read_buckets: [my-bucket]}}")) == 1


def test_every_moment_and_every_pool_is_looked_at():
    script = "[{script: s3://b-1/x}]"
    part = f"login_nodes: [{{}}, {{name: b, custom_actions: {{on_start: {script}, on_update: {script}}}}}]"
    assert paths(RULE, part) == [
        "login_nodes[1].custom_actions.on_start[0].script",
        "login_nodes[1].custom_actions.on_update[0].script",
    ]


def test_scripts_behind_https_and_those_of_other_nodes_are_fine():
    assert paths(RULE, POOL.replace("s3://my-bucket", "https://example.com")) == []
    assert paths(RULE, POOL.replace("login_nodes", "head_node")) == []


def test_other_platforms_have_no_login_nodes():
    assert paths(RULE, POOL + "\nplatform: eks") == []
