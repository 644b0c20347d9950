"""What an emulated account is said to hold at first, made up from a spec."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.rehearsal.emulated.seeds import seeds_of, seeds_with_environment

KEY = "arn:aws:kms:us-east-2:210987654321:key/12345678-1234-1234-1234-123456789012"
BLOCK = """\
network: {availability_zone: us-east-2b}
queues:
  - {name: a, instance_type: p5.48xlarge, nodes: 2, capacity: {capacity_block: cr-0123456789abcdef0}}
  - {name: b, instance_type: p5.48xlarge, nodes: 1, capacity: {capacity_block: cr-0123456789abcdef0}}
"""
GROUP = """\
queues:
  - name: a
    nodes: {max: 3}
    capacity: {reservation_group: "arn:aws:resource-groups:us-east-2:111122223333:group/mine"}
    instance_types: [p5.48xlarge, p5e.48xlarge]
"""


def test_a_reservation_has_the_type_zone_and_size_that_all_its_queues_need():
    (reservation,) = seeds_of(spec_of(BLOCK))["reservations"]
    assert reservation["CapacityReservationId"] == "cr-0123456789abcdef0"
    assert reservation["InstanceType"] == "p5.48xlarge"
    assert reservation["AvailabilityZone"] == "us-east-2b"
    assert reservation["TotalInstanceCount"] == 3
    assert reservation["ReservationType"] == "capacity-block"


def test_a_reservation_group_has_a_reservation_for_each_instance_type():
    (group,) = seeds_of(spec_of(GROUP))["reservation_groups"]
    assert [reservation["InstanceType"] for reservation in group["reservations"]] == ["p5.48xlarge", "p5e.48xlarge"]


def test_the_account_is_the_one_that_the_arns_of_the_spec_name():
    assert seeds_of(spec_of(GROUP))["account_id"] == "111122223333"
    assert seeds_of(spec_of())["account_id"] == "123456789012"


def test_official_images_are_those_of_all_versions_and_operating_systems_that_are_published():
    images = seeds_of(spec_of("image: {os: rhel9}\nparallelcluster: {version: 3.15.0}"))["images"]
    names = [image["name"].rpartition("-")[0] for image in images]
    assert len(set(names)) == len(names)
    for version in ("3.15.0", "3.14.2", "3.16.1"):
        assert f"aws-parallelcluster-{version}-rhel9-hvm-x86_64" in names
        assert f"aws-parallelcluster-{version}-ubuntu-2204-lts-hvm-arm64" in names
    assert not [name for name in names if "rocky" in name]


def test_an_image_of_ones_own_says_which_version_it_was_built_for():
    images = seeds_of(spec_of("image: {ami: ami-0123456789abcdef0, built_for: 3.15.1}"))["images"]
    own = next(image for image in images if image.get("id") == "ami-0123456789abcdef0")
    assert own["tags"]["parallelcluster:version"] == "3.15.1"


def test_scripts_lie_in_their_buckets_and_data_repositories_exist():
    part = """\
head_node: {custom_actions: {after_setup: [{script: "s3://scripts/a/b.sh"}]}}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, data_repository: "s3://data/sets"}}]
"""
    assert seeds_of(spec_of(part))["buckets"] == [
        {"name": "scripts", "keys": ["a/b.sh"]},
        {"name": "data", "keys": []},
    ]


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        ("lustre: {id: fs-0123456789abcdef0}", "lustre", "fs-0123456789abcdef0"),
        ("openzfs: {id: fsvol-0123456789abcdef0}", "zfs_volumes", "fsvol-0123456789abcdef0"),
        ("efs: {id: fs-0123456789abcdef0}", "efs", {"id": "fs-0123456789abcdef0", "access_points": []}),
        ("ebs: {id: vol-0123456789abcdef0}", "volumes", {"id": "vol-0123456789abcdef0", "zone": "us-east-2a"}),
    ],
)
def test_file_systems_exist_as_what_they_are(kind, key, name):
    assert seeds_of(spec_of(f"file_systems: [{{mount: /data, {kind}}}]"))[key] == [name]


def test_policies_of_aws_are_not_made_up():
    part = "iam: {policies: ['arn:aws:iam::aws:policy/ReadOnlyAccess', 'arn:aws:iam::123456789012:policy/mine']}"
    assert seeds_of(spec_of(part))["policies"] == ["arn:aws:iam::123456789012:policy/mine"]


def test_a_cluster_and_its_environment_have_one_account_with_what_either_names():
    existing = "{existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}"
    around = seeds_of(spec_of(f"kind: environment\nnetwork: {existing}\niam: {{kms_key: {KEY}}}"))
    inside = seeds_of(spec_of("environment: use2\naccess: {ssh_key: mine}"))
    merged = seeds_with_environment(inside, around)
    assert merged["network"]["vpc"] == "vpc-0123456789abcdef0"
    assert (merged["kms_keys"], merged["key_pairs"]) == ([KEY], ["mine"])
    assert merged["account_id"] == "210987654321"
    assert merged["images"] == inside["images"]


def subnet_zones(part: str, key: str = "private") -> dict[str, str]:
    return {subnet["id"]: subnet["zone"] for subnet in seeds_of(spec_of(part))["network"][key]}


FIRST, SECOND = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"
EXISTING = f"network: {{existing: {{vpc: vpc-0123456789abcdef0, private_subnets: [{FIRST}, {SECOND}]}}}}"
QUEUE = "{name: a, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0123456789abcdef0}"


def test_private_subnets_are_in_a_zone_each_that_the_planter_may_choose():
    assert subnet_zones(EXISTING) == {FIRST: "us-east-2a", SECOND: None}


def test_the_subnet_of_a_queue_is_in_its_zone_and_the_other_in_another_one():
    part = f"{EXISTING}\nqueues: [{QUEUE}, subnet: {SECOND}, availability_zone: us-east-2b}}]"
    assert subnet_zones(part)[SECOND] == "us-east-2b"
    assert subnet_zones(part)[FIRST] != "us-east-2b"


def test_a_reservation_is_in_the_zone_of_the_subnet_that_its_queue_names():
    (reservation,) = seeds_of(spec_of(f"{EXISTING}\nqueues: [{QUEUE}, subnet: {SECOND}}}]"))["reservations"]
    assert reservation["SubnetId"] == SECOND


def test_a_network_without_internet_has_the_endpoints_that_its_platform_needs():
    without = EXISTING.replace("existing:", "internet: none, existing:")
    assert seeds_of(spec_of(EXISTING))["network"]["endpoints"] == []
    assert {"s3", "dynamodb", "cloudformation", "ec2"} <= {*seeds_of(spec_of(without))["network"]["endpoints"]}
