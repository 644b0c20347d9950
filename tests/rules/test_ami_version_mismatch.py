import pytest

from tests.rules.found import paths, problems

RULE = "ami-version-mismatch"
AMI = "ami-0123456789abcdef0"
OLD = "image: {built_for: 3.14.2}\nparallelcluster: {version: 3.16.1}\n"


@pytest.mark.parametrize(
    "part",
    [
        f"head_node: {{ami: {AMI}}}",
        f"login_nodes: {{ami: {AMI}}}",
        f"login_nodes: [{{name: a}}, {{name: b, ami: {AMI}}}]",
        f"queues: [{{name: q, instance_type: p5.48xlarge, ami: {AMI}}}]",
    ],
)
def test_an_image_for_another_version_is_found_wherever_it_is_used(part: str):
    assert paths(RULE, OLD + part) == ["image.built_for"]


def test_the_message_names_every_image_once_and_both_versions():
    part = f"image: {{ami: {AMI}, built_for: 3.14.2}}\nhead_node: {{ami: {AMI}}}"
    (problem,) = problems(RULE, part)
    assert problem.message == f"{AMI} built for 3.14.2, and ParallelCluster 3.16.1 makes the cluster"


def test_the_same_version_is_fine_also_where_it_is_the_default():
    assert paths(RULE, f"image: {{ami: {AMI}, built_for: 3.16.1}}") == []
    assert paths(RULE, f"image: {{ami: {AMI}, built_for: 3.14.2}}\nparallelcluster: {{version: 3.14.2}}") == []


def test_another_patch_release_is_another_version():
    assert paths(RULE, f"image: {{ami: {AMI}, built_for: 3.16.0}}") == ["image.built_for"]


def test_nothing_is_claimed_of_images_whose_version_nobody_wrote():
    assert paths(RULE, f"image: {{ami: {AMI}}}") == []


def test_a_version_without_an_image_is_another_rule_s_matter():
    assert paths(RULE, OLD) == []
