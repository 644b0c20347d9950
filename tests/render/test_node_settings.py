"""What nodes run when they start, what they may read, and how they are reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.render.rendered import cluster, queue, resource
from tests.specs import spec_of
from trainyard.render.cloudformation.assets import assets_parameters
from trainyard.render.nodes import node_plan
from trainyard.render.stand_ins import Ids

LAUNCHER = {
    "Script": "s3://mine/trainyard/example/launch.sh",
    "Args": ["s3://mine/trainyard/example"],
}
SOFTWARE = "software: {setup: gpu}\nassets: {bucket: mine}\n"


def all_actions(config: dict[str, Any]) -> list[Any]:
    nodes = [config["HeadNode"], *config["LoginNodes"]["Pools"], *config["Scheduling"]["SlurmQueues"]]
    return [node.get("CustomActions") for node in nodes]


def test_a_cluster_that_installs_nothing_runs_nothing():
    config = cluster("login_nodes: {}")
    assert all_actions(config) == [None, None, None]
    assert "S3Access" not in config["HeadNode"]["Iam"]


@pytest.mark.parametrize(
    "part",
    [
        "software: {setup: gpu}",
        "software: {containers: true}",
        "monitoring: {mode: amp-only}",
        "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]",
    ],
)
def test_a_cluster_that_installs_anything_runs_one_launcher_on_every_node(part: str):
    config = cluster(f"{part}\nlogin_nodes: {{}}\nassets: {{bucket: mine}}")
    assert all_actions(config) == [{"OnNodeConfigured": {"Sequence": [LAUNCHER]}}] * 3


def test_what_is_installed_never_shows_in_the_custom_actions():
    # ParallelCluster refuses or interrupts updates that change them.
    one = cluster(f"{SOFTWARE}login_nodes: {{}}")
    other = cluster("software: {setup: cpu, containers: true}\nassets: {bucket: mine}\nlogin_nodes: {}")
    assert all_actions(one) == all_actions(other)


def test_the_user_s_scripts_run_around_the_launcher_in_their_order():
    own = """\
    custom_actions:
      on_start: [{script: s3://own/0.sh}]
      before_setup: [{script: s3://own/1.sh, args: [a, b]}, {script: s3://own/2.sh}]
      after_setup: [{script: https://example.com/3.sh}]
"""
    found = queue(f"{SOFTWARE}queues:\n  - name: q\n    instance_type: p5.48xlarge\n{own}")["CustomActions"]
    assert found["OnNodeStart"]["Sequence"] == [{"Script": "s3://own/0.sh"}]
    assert found["OnNodeConfigured"]["Sequence"] == [
        {"Script": "s3://own/1.sh", "Args": ["a", "b"]},
        {"Script": "s3://own/2.sh"},
        LAUNCHER,
        {"Script": "https://example.com/3.sh"},
    ]


def test_only_nodes_that_outlive_an_update_run_scripts_after_it():
    part = "{node}: {{custom_actions: {{on_update: [{{script: s3://own/u.sh}}]}}}}"
    updated = {"OnNodeUpdated": {"Sequence": [{"Script": "s3://own/u.sh"}]}}
    assert cluster(part.format(node="head_node"))["HeadNode"]["CustomActions"] == updated
    (pool,) = cluster(part.format(node="login_nodes"))["LoginNodes"]["Pools"]
    assert pool["CustomActions"] == updated


@pytest.mark.parametrize(
    ("scripts", "access"),
    [
        ("s3://own/a/x.sh", [{"BucketName": "own", "KeyName": "a/x.sh"}]),
        ("s3://own/a/x.sh s3://own/a/x.sh", [{"BucketName": "own", "KeyName": "a/x.sh"}]),
        ("s3://own/a/x.sh s3://own/a/y.sh", [{"BucketName": "own", "KeyName": "a/*"}]),
        ("s3://own/x.sh s3://other/x.sh", [{"BucketName": one, "KeyName": "x.sh"} for one in ("own", "other")]),
        ("https://example.com/x.sh", None),
    ],
)
def test_a_node_may_read_the_scripts_that_it_runs_and_little_else(scripts: str, access: Any):
    listed = ", ".join(f"{{script: '{one}'}}" for one in scripts.split())
    part = f"head_node: {{custom_actions: {{on_start: [{listed}]}}}}"
    assert cluster(part)["HeadNode"]["Iam"].get("S3Access") == access


def test_every_node_has_the_one_policy_for_its_cluster_s_folder():
    config = cluster(f"{SOFTWARE}login_nodes: {{}}")
    for node in (config["HeadNode"], config["LoginNodes"]["Pools"][0], config["Scheduling"]["SlurmQueues"][0]):
        assert "S3Access" not in node["Iam"]
        assert [policy["Policy"].rpartition("/")[2] for policy in node["Iam"]["AdditionalIamPolicies"]] == [
            "AmazonSSMManagedInstanceCore",
            "node-assets-00000000000000001",
        ]


def test_nodes_may_use_the_key_of_their_bucket():
    key = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"
    spec = spec_of(f"{SOFTWARE}iam: {{kms_key: '{key}'}}")
    assert assets_parameters(spec, Ids({}))["KmsKeyArn"] == key
    assert "KmsKeyArn" not in assets_parameters(spec_of(SOFTWARE), Ids({}))


def test_the_settings_of_nodes_name_what_each_queue_is_to_have():
    part = """\
queues:
  - {name: train, instance_type: p5.48xlarge}
  - {name: prepare, instance_type: m5.8xlarge, setup: cpu}
software: {setup: gpu, containers: true}
"""
    nodes = node_plan(spec_of(part))["nodes"]
    setups = {name: kind["settings"]["TRAINYARD_SETUP"] for name, kind in nodes.items()}
    assert setups == {"head": "gpu", "queue/train": "gpu", "queue/prepare": "cpu"}
    assert nodes["head"]["settings"]["TRAINYARD_CONTAINERS"] == "1"


def test_every_node_goes_through_the_proxy():
    config = cluster("network: {http_proxy: 'http://proxy.example.com:3128'}\nlogin_nodes: {}")
    proxy = {"HttpProxyAddress": "http://proxy.example.com:3128"}
    nodes = [config["HeadNode"], *config["LoginNodes"]["Pools"], *config["Scheduling"]["SlurmQueues"]]
    assert [node["Networking"]["Proxy"] for node in nodes] == [proxy] * 3


def test_a_remote_desktop_is_closed_to_the_world_when_nobody_is_named():
    dcv = cluster("head_node: {dcv: {}}")["HeadNode"]["Dcv"]
    assert dcv == {"Enabled": True, "Port": 8443, "AllowedIps": "10.0.0.0/8"}


@pytest.mark.parametrize(("written", "rendered"), [("true", True), ("203.0.113.7", "203.0.113.7"), ("false", None)])
def test_the_head_node_has_the_address_that_was_asked_for(written: str, rendered: object):
    networking = cluster(f"head_node: {{subnet: public, elastic_ip: {written}}}")["HeadNode"]["Networking"]
    assert networking.get("ElasticIp") == rendered


def test_login_pools_are_written_flat_or_as_a_list():
    flat = cluster("login_nodes: {count: 2}")["LoginNodes"]["Pools"]
    listed = cluster("login_nodes: [{count: 2}]")["LoginNodes"]["Pools"]
    assert flat == listed
    two = cluster("login_nodes: [{name: people}, {name: robots, grace_minutes: 3}]")["LoginNodes"]["Pools"]
    assert [(one["Name"], one["GracetimePeriod"]) for one in two] == [("people", 10), ("robots", 3)]


def test_a_login_pool_has_a_key_of_its_own_only_where_one_is_written():
    (pool,) = cluster("login_nodes: {ssh_key: k}")["LoginNodes"]["Pools"]
    assert pool["Ssh"]["KeyName"] == "k"


def test_a_queue_may_share_its_nodes_where_the_others_do_not():
    part = """\
queues: [{name: q, instance_type: g5.12xlarge, job_exclusive: false}, {name: r, instance_type: p5.48xlarge}]
parallelcluster: {slurm: {job_exclusive: true}}
"""
    queues = cluster(part)["Scheduling"]["SlurmQueues"]
    assert [one["JobExclusiveAllocation"] for one in queues] == [False, True]


def test_what_is_not_written_of_nodes_is_left_to_parallelcluster():
    assert set(resource("queues: [{name: q, instance_type: m5.8xlarge}]")) == {
        "Name", "InstanceType", "MinCount", "MaxCount", "Efa", "Networking",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("nodes", "settings"),
    [
        ("instance_type: p5.48xlarge", {"Sockets": 2, "CoresPerSocket": 48}),
        ("instance_type: p4d.24xlarge", {"Sockets": 2, "CoresPerSocket": 24}),
        (
            "instance_type: p5.48xlarge, slurm_settings: {Feature: fast}",
            {"Sockets": 2, "CoresPerSocket": 48, "Feature": "fast"},
        ),
        ("instance_type: p5.48xlarge, slurm_settings: {sockets: 1}", {"sockets": 1}),
        ("instance_types: [p4d.24xlarge, p4de.24xlarge]", None),
        ("instance_type: g5.12xlarge", None),
    ],
)
def test_slurm_is_told_the_sockets_and_cores_that_parallelcluster_gets_wrong(nodes: str, settings: Any):
    assert resource(f"queues: [{{name: q, {nodes}}}]").get("CustomSlurmSettings") == settings
