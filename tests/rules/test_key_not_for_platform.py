import pytest

from tests.rules.found import paths

RULE = "key-not-for-platform"


@pytest.mark.parametrize("platform", ["batch", "eks"])
def test_sections_of_parallelcluster_are_found_on_other_platforms(platform: str):
    part = f"platform: {platform}\nscratch: {{mount: /scratch}}\nparallelcluster: {{version: 3.16.1}}"
    assert paths(RULE, part) == ["scratch", "parallelcluster"]


def test_a_default_that_nobody_wrote_is_not_found():
    assert paths(RULE, "platform: batch") == []


def test_parallelcluster_has_a_use_for_all_of_them():
    assert paths(RULE, "platform: parallelcluster\nscratch: {mount: /scratch}") == []


def test_an_ebs_volume_needs_a_head_node():
    part = "platform: batch\nfile_systems: [{mount: /apps, ebs: {size_gib: 200}}]"
    assert paths(RULE, part) == ["file_systems[0].ebs"]


def test_limits_on_roles_hold_on_every_platform():
    assert paths(RULE, "platform: eks\niam: {resource_prefix: /team/}") == []


@pytest.mark.parametrize("platform", ["batch", "eks"])
@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("image: {built_for: 3.16.1, ami: ami-0123456789abcdef0}", "image.built_for"),
        ("queues: [{name: q, instance_type: m5.large, job_exclusive: true}]", "queues[0].job_exclusive"),
        (
            "queues: [{name: q, instance_type: m5.large, partition_settings: {MaxTime: 1}}]",
            "queues[0].partition_settings",
        ),
        ("queues: [{name: q, instance_type: m5.large, gpu_health_check: false}]", "queues[0].gpu_health_check"),
        (
            "queues: [{name: q, compute_resources: [{instance_type: m5.large, static_priority: 2}]}]",
            "queues[0].compute_resources[0].static_priority",
        ),
    ],
)
def test_keys_of_slurm_and_parallelcluster_in_shared_sections_are_found(platform: str, part: str, path: str):
    assert paths(RULE, f"platform: {platform}\n{part}") == [path]
    assert paths(RULE, f"platform: parallelcluster\n{part}") == []


def test_a_directory_of_users_needs_parallelcluster():
    directory = "{domain: example.com, addresses: ['ldaps://a.example.com'], read_only_user: 'cn=r,dc=e', password_secret: 'arn:aws:secretsmanager:us-east-2:123456789012:secret:n'}"  # noqa: E501
    assert paths(RULE, f"platform: eks\naccess: {{directory_service: {directory}}}") == ["access.directory_service"]
