"""What cluster.yaml says about a spec."""

from __future__ import annotations

import pytest

from tests.render.rendered import cluster, queue, resource
from tests.specs import spec_of
from trainyard.render.rendering import render


def test_a_fixed_number_of_nodes_is_both_minimum_and_maximum():
    found = resource("queues: [{name: q, instance_type: p5.48xlarge, nodes: 4}]")
    assert (found["MinCount"], found["MaxCount"]) == (4, 4)


def test_a_range_keeps_its_ends():
    found = resource("queues: [{name: q, instance_type: p5.48xlarge, nodes: {max: 8}}]")
    assert (found["MinCount"], found["MaxCount"]) == (0, 8)


@pytest.mark.parametrize(
    ("capacity", "type_", "target"),
    [
        ("on-demand", "ONDEMAND", None),
        ("spot", "SPOT", None),
        ("{reservation: cr-0123456789abcdef0}", "ONDEMAND", {"CapacityReservationId": "cr-0123456789abcdef0"}),
        ("{capacity_block: cr-0123456789abcdef0}", "CAPACITY_BLOCK", {"CapacityReservationId": "cr-0123456789abcdef0"}),
        (
            "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}",
            "ONDEMAND",
            {"CapacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-2:123456789012:group/g"},
        ),
    ],
)
def test_every_kind_of_capacity_has_its_type_and_target(capacity: str, type_: str, target: dict[str, str] | None):
    part = f"queues: [{{name: q, instance_type: p5.48xlarge, capacity: {capacity}}}]"
    assert queue(part)["CapacityType"] == type_
    assert resource(part).get("CapacityReservationTarget") == target


def test_efa_is_on_wherever_the_type_has_it():
    assert resource("queues: [{name: q, instance_type: p5.48xlarge}]")["Efa"] == {"Enabled": True}
    assert resource("queues: [{name: q, instance_type: g5.xlarge}]")["Efa"] == {"Enabled": False}
    assert resource("queues: [{name: q, instance_type: p9.huge}]")["Efa"] == {"Enabled": False}
    assert resource("queues: [{name: q, instance_type: p9.huge, efa: true}]")["Efa"] == {"Enabled": True}


@pytest.mark.parametrize(
    ("nodes", "placed"),
    [
        ("nodes: 2", True),
        ("nodes: 1", False),
        ("nodes: 2, efa: false", False),
        ("nodes: 2, capacity: {reservation: cr-0123456789abcdef0}", False),
        ("nodes: 2, capacity: {capacity_block: cr-0123456789abcdef0}", False),
        ("nodes: 2, capacity: spot", True),
        ("nodes: 1, placement_group: true", True),
        ("nodes: 2, placement_group: false", False),
    ],
)
def test_nodes_are_placed_together_where_that_helps_and_nothing_else_places_them(nodes: str, placed: bool):  # noqa: FBT001
    found = resource(f"queues: [{{name: q, instance_type: p5.48xlarge, {nodes}}}]")
    assert found["Networking"]["PlacementGroup"]["Enabled"] is placed


def test_compute_resources_are_named_after_their_type_and_never_alike():
    part = "queues: [{name: q, compute_resources: [{instance_type: m5.large}, {instance_type: m5.large}, {name: mine, instance_type: m5.large}]}]"  # noqa: E501
    assert [compute_resource["Name"] for compute_resource in queue(part)["ComputeResources"]] == [
        "m5-large",
        "m5-large-2",
        "mine",
    ]


def test_ssh_is_closed_to_the_world_when_nobody_is_named():
    assert cluster()["HeadNode"]["Ssh"] == {"AllowedIps": "10.0.0.0/8"}


def test_one_address_range_is_written_and_several_become_a_prefix_list():
    assert cluster("access: {allow_from: [203.0.113.7/32]}")["HeadNode"]["Ssh"]["AllowedIps"] == "203.0.113.7/32"
    several = "access: {allow_from: [203.0.113.7/32, 198.51.100.0/24]}"
    assert cluster(several)["HeadNode"]["Ssh"]["AllowedIps"] == "pl-00000000000000001"
    assert cluster(several, SSHPrefixList="pl-0a1b2c3d")["HeadNode"]["Ssh"]["AllowedIps"] == "pl-0a1b2c3d"


def test_login_nodes_have_no_key_of_their_own_because_parallelcluster_refuses_it():
    config = cluster("login_nodes: {count: 2}\naccess: {ssh_key: k}")
    (pool,) = config["LoginNodes"]["Pools"]
    assert "KeyName" not in pool["Ssh"]
    assert config["HeadNode"]["Ssh"]["KeyName"] == "k"


def test_an_existing_network_leaves_no_stand_in():
    part = """\
network:
  existing:
    vpc: vpc-0123456789abcdef0
    public_subnets: [subnet-0123456789abcdef1]
    private_subnets: [subnet-0123456789abcdef0]
    security_groups: [sg-0123456789abcdef0]
head_node: {subnet: public}
"""
    rendering = render(spec_of(part), {})
    config = rendering.documents["cluster.yaml"]
    assert rendering.stand_ins == ()
    assert config["HeadNode"]["Networking"] == {
        "SubnetId": "subnet-0123456789abcdef1",
        "AdditionalSecurityGroups": ["sg-0123456789abcdef0"],
    }
    assert config["Scheduling"]["SlurmQueues"][0]["Networking"]["SubnetIds"] == ["subnet-0123456789abcdef0"]


def test_a_queue_in_another_zone_gets_a_subnet_of_its_own():
    part = """\
network: {availability_zone: us-east-2a}
queues:
  - {name: a, instance_type: m5.large, availability_zone: us-east-2a}
  - {name: b, instance_type: m5.large, availability_zone: [us-east-2a, us-east-2c]}
"""
    one, other = cluster(part, PrivateSubnetC="subnet-0123456789abcdef0")["Scheduling"]["SlurmQueues"]
    assert one["Networking"]["SubnetIds"] == ["subnet-00000000000000002"]
    assert other["Networking"]["SubnetIds"] == ["subnet-00000000000000002", "subnet-0123456789abcdef0"]


def test_only_nodes_that_may_start_in_several_subnets_are_written_as_any_of_their_types():
    zones = "availability_zone: [us-east-2a, us-east-2c]"
    assert resource("queues: [{name: q, instance_type: m5.large}]")["InstanceType"] == "m5.large"
    several = resource(f"queues: [{{name: q, instance_type: m5.large, {zones}}}]")
    assert "InstanceType" not in several
    assert several["Instances"] == [{"InstanceType": "m5.large"}]


def test_every_file_system_to_be_made_is_a_stand_in_of_its_own():
    part = """\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
  - {mount: /old, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /more, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}
"""
    rendering = render(spec_of(part), {"FSxLustreFilesystemId2": "fs-0a1b2c3d4e5f60718"})
    storage = rendering.documents["cluster.yaml"]["SharedStorage"]
    assert [one["FsxLustreSettings"]["FileSystemId"] for one in storage] == [
        "fs-00000000000000001",
        "fs-0123456789abcdef0",
        "fs-0a1b2c3d4e5f60718",
    ]
    assert [one.output for one in rendering.stand_ins if one.stack == "storage"] == ["FSxLustreFilesystemId"]


def test_an_ebs_volume_outlives_the_cluster():
    (volume,) = cluster("file_systems: [{mount: /apps, ebs: {size_gib: 200}}]")["SharedStorage"]
    assert volume["EbsSettings"]["DeletionPolicy"] == "Retain"


@pytest.mark.parametrize(
    ("mode", "sends"), [("none", False), ("self-hosting", False), ("amp-only", True), ("amp+amg", True)]
)
def test_only_the_head_node_sends_metrics_and_only_to_amazon_managed_prometheus(mode: str, sends: bool):  # noqa: FBT001
    config = cluster(f"monitoring: {{mode: {mode}}}")
    policies = [policy["Policy"] for policy in config["HeadNode"]["Iam"]["AdditionalIamPolicies"]]
    assert any("amp-remote-write" in policy for policy in policies) is sends
    of_queue = [policy["Policy"] for policy in config["Scheduling"]["SlurmQueues"][0]["Iam"]["AdditionalIamPolicies"]]
    assert not any("amp-remote-write" in policy for policy in of_queue)


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-east-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("eusc-de-east-1", "aws-eusc")],
)
def test_policies_belong_to_the_partition_of_the_region(region: str, partition: str):
    (policy,) = cluster(f"region: {region}")["HeadNode"]["Iam"]["AdditionalIamPolicies"]
    assert policy["Policy"] == f"arn:{partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"


def test_the_user_s_tags_cannot_displace_the_one_that_finds_the_cluster():
    tags = cluster("tags: {team: llm, 'trainyard:cluster': other}")["Tags"]
    assert {"Key": "team", "Value": "llm"} in tags
    assert [tag["Value"] for tag in tags if tag["Key"] == "trainyard:cluster"] == ["example"]


def test_the_cluster_says_which_bucket_its_spec_named():
    tags = cluster("assets: {bucket: ml-assets}")["Tags"]
    assert {"Key": "trainyard:bucket", "Value": "ml-assets"} in tags
    assert "trainyard:bucket" not in {tag["Key"] for tag in cluster()["Tags"]}


def test_metadata_is_served_to_version_2_requests_only():
    assert cluster()["Imds"] == {"ImdsSupport": "v2.0"}


def test_storage_is_named_after_its_directory_and_no_two_alike():
    mounts = ["/data/a", "/data-a", "/default", "/" + "x" * 40 + "1", "/" + "x" * 40 + "2"]
    entries = ", ".join(f"{{mount: {mount}, ebs: {{size_gib: 9}}}}" for mount in mounts)
    names = [one["Name"] for one in cluster(f"file_systems: [{entries}]")["SharedStorage"]]
    assert names == ["data-a", "data-a-2", "default-2", "x" * 30, "x" * 27 + "-2"]
