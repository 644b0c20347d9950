import pytest

from tests.rules.found import paths, problems

RULE = "name-not-allowed"
LONG = "name: a-name-of-forty-one-characters-altogether\n"
DATABASE = "database: {host: db.example.com, user: u, password_secret: 'arn:aws:secretsmanager:us-east-2:123456789012:secret:n'}"  # noqa: E501
ACCOUNTING = "parallelcluster: {{version: {version}, slurm: {{accounting: {{{kind}}}}}}}"


def test_default_is_found_as_the_name_of_a_queue_a_compute_resource_and_a_pool():
    part = "login_nodes: {name: default}\nqueues: [{name: default, compute_resources: [{name: default, instance_type: m5.large}]}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].name", "queues[0].compute_resources[0].name", "login_nodes.name"]


def test_names_that_only_begin_like_it_are_fine():
    assert paths(RULE, "queues: [{name: default-gpu, instance_type: p5.48xlarge}]\nlogin_nodes: [{name: a}]") == []


@pytest.mark.parametrize("kind", [DATABASE, "slurmdbd: {host: 10.0.0.7}"])
def test_a_long_name_with_accounting_is_found(kind: str):
    (problem,) = problems(RULE, LONG + ACCOUNTING.format(version="3.16.1", kind=kind))
    assert problem.path == ("name",)
    assert "has 41 characters, and with accounting 40 are allowed" in problem.message


def test_a_name_of_forty_characters_is_just_short_enough():
    name = "name: " + 40 * "a" + "\n"
    assert paths(RULE, name + ACCOUNTING.format(version="3.16.1", kind=DATABASE)) == []


def test_a_long_name_without_accounting_is_fine():
    assert paths(RULE, LONG) == []


def test_earlier_versions_did_not_mind_an_external_slurmdbd():
    assert paths(RULE, LONG + ACCOUNTING.format(version="3.14.2", kind="slurmdbd: {host: 10.0.0.7}")) == []
    assert paths(RULE, LONG + ACCOUNTING.format(version="3.14.2", kind=DATABASE)) == ["name"]


def test_nothing_is_claimed_of_unknown_versions_and_other_platforms():
    queue = "queues: [{name: default, instance_type: m5.large}]"
    assert paths(RULE, queue + "\nparallelcluster: {version: 9.9.9}") == []
    assert paths(RULE, queue + "\nplatform: eks") == []
