import pytest

from tests.rules.found import paths

RULE = "key-not-for-platform"


@pytest.mark.parametrize("platform", ["batch", "eks"])
def test_sections_of_parallelcluster_are_found_on_other_platforms(platform: str):
    part = f"platform: {platform}\ntimeouts: {{head_node_s: 60}}\nparallelcluster: {{version: 3.16.1}}"
    assert paths(RULE, part) == ["timeouts", "parallelcluster"]


@pytest.mark.parametrize(("platform", "found"), [("parallelcluster", []), ("batch", []), ("eks", ["scratch"])])
def test_nodes_of_batch_stripe_their_drives_too(platform: str, found: list[str]):
    assert paths(RULE, f"platform: {platform}\nscratch: {{mount: /scratch}}") == found


@pytest.mark.parametrize(("platform", "found"), [("parallelcluster", ["batch"]), ("batch", []), ("eks", ["batch"])])
def test_the_section_of_batch_is_for_batch(platform: str, found: list[str]):
    assert paths(RULE, f"platform: {platform}\nbatch: {{job_attempts: 2}}") == found


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("network: {http_proxy: 'http://proxy.example.com:3128'}", "network.http_proxy"),
        ("network: {internet: none}", "network.internet"),
        ("network: {secondary_availability_zone: us-east-2b}", "network.secondary_availability_zone"),
        ("access: {allow_from: [203.0.113.7/32]}", "access.allow_from"),
        ("image: {os: ubuntu2404}", "image.os"),
        ("software: {setup: gpu}", "software"),
        ("assets: {bucket: mine}", "assets"),
        ("monitoring: {mode: self-hosting}", "monitoring.mode"),
        ("monitoring: {alarms: false}", "monitoring.alarms"),
        ("monitoring: {logs: false}", "monitoring.logs"),
        ("queues: [{name: q, instance_type: m5.large, setup: cpu}]", "queues[0].setup"),
        ("queues: [{name: q, instance_type: m5.large, multithreading: false}]", "queues[0].multithreading"),
        ("file_systems: [{mount: /efs, efs: {}}]", "file_systems[0].efs"),
    ],
)
def test_what_batch_has_not_is_found_there_and_nowhere_else(part: str, path: str):
    assert paths(RULE, f"platform: batch\n{part}") == [path]
    assert paths(RULE, f"platform: parallelcluster\n{part}") == []


def test_an_efs_file_system_that_exists_is_mounted_on_batch():
    assert paths(RULE, "platform: batch\nfile_systems: [{mount: /efs, efs: {id: fs-0123456789abcdef0}}]") == []


def test_public_subnets_of_an_existing_network_have_no_use_on_batch():
    subnets = "private_subnets: [subnet-0123456789abcdef0], public_subnets: [subnet-0123456789abcdef1]"
    part = f"platform: batch\nnetwork: {{existing: {{vpc: vpc-0123456789abcdef0, {subnets}}}}}"
    assert paths(RULE, part) == ["network.existing.public_subnets"]


def test_a_default_that_nobody_wrote_is_not_found():
    assert paths(RULE, "platform: batch") == []


def test_parallelcluster_has_a_use_for_all_of_them():
    assert paths(RULE, "platform: parallelcluster\nscratch: {mount: /scratch}") == []


def test_an_ebs_volume_needs_a_head_node():
    part = "platform: batch\nfile_systems: [{mount: /apps, ebs: {size_gib: 200}}]"
    assert paths(RULE, part) == ["file_systems[0].ebs"]


@pytest.mark.parametrize("kind", ["ebs: {size_gib: 200}", "openzfs: {size_gib: 64}", "efs: {id: fs-0123456789abcdef0}"])
def test_pods_of_eks_mount_lustre_alone(kind: str):
    part = f"platform: eks\nfile_systems: [{{mount: /apps, {kind}}}]"
    assert paths(RULE, part) == [f"file_systems[0].{kind.split(':', maxsplit=1)[0]}"]


def test_limits_on_roles_hold_on_every_platform():
    boundary = "iam: {permissions_boundary: 'arn:aws:iam::123456789012:policy/b'}"
    assert paths(RULE, f"platform: eks\n{boundary}") == paths(RULE, f"platform: batch\n{boundary}") == []


def test_eksctl_names_its_roles_itself():
    assert paths(RULE, "platform: eks\niam: {resource_prefix: /team/}") == ["iam.resource_prefix"]


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("network: {http_proxy: 'http://proxy.example.com:3128'}", "network.http_proxy"),
        ("network: {internet: none}", "network.internet"),
        ("image: {os: ubuntu2404}", "image.os"),
        ("software: {setup: gpu}", "software"),
        ("monitoring: {mode: self-hosting}", "monitoring.mode"),
        ("monitoring: {alarms: false}", "monitoring.alarms"),
        ("queues: [{name: q, instance_type: m5.large, setup: cpu}]", "queues[0].setup"),
        ("queues: [{name: q, instance_type: m5.large, multithreading: false}]", "queues[0].multithreading"),
        ("file_systems: [{mount: /efs, efs: {}}]", "file_systems[0].efs"),
    ],
)
def test_what_eks_has_not_is_found_there_and_nowhere_else(part: str, path: str):
    assert paths(RULE, f"platform: eks\n{part}") == [path]
    assert paths(RULE, f"platform: parallelcluster\n{part}") == []


@pytest.mark.parametrize(("platform", "found"), [("eks", []), ("batch", ["eks"]), ("parallelcluster", ["eks"])])
def test_the_section_of_eks_is_for_eks(platform: str, found: list[str]):
    assert paths(RULE, f"platform: {platform}\neks: {{endpoint: private}}") == found


def test_only_eks_starts_a_number_of_nodes_between_the_least_and_the_most():
    nodes = "queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 4, desired: 2}}]"
    assert paths(RULE, f"platform: eks\n{nodes}") == []
    assert paths(RULE, f"platform: batch\n{nodes}") == ["queues[0].nodes.desired"]
    assert paths(RULE, f"platform: parallelcluster\n{nodes}") == ["queues[0].nodes.desired"]


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
