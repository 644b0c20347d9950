from tests.rules.found import paths

RULE = "imds-open-to-users"


def test_credentials_for_every_user_are_found():
    assert paths(RULE, "head_node: {imds_for_root_only: false}") == ["head_node.imds_for_root_only"]


def test_credentials_of_other_nodes_for_every_job_are_found():
    assert paths(RULE, "iam: {imds_for_root_only: false}") == ["iam.imds_for_root_only"]


def test_root_only_is_the_default():
    assert paths(RULE, "head_node: {instance_type: m5.8xlarge}") == []
