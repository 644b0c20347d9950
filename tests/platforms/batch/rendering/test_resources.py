"""What the stack makes of what the spec says about capacity, images, roles and logs."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.platforms.batch.rendering.resolved import resources_of, stack_of

QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}"


def made(rest: str = "", part: str = "") -> dict[str, dict[str, Any]]:
    return resources_of(stack_of(f"{part}\n{QUEUE}{rest}}}]"))


def launched(rest: str) -> dict[str, Any]:
    found: dict[str, Any] = made(rest)["LaunchTemplate"]["LaunchTemplateData"]
    return found


GROUP = "arn:aws:resource-groups:us-east-2:123456789012:group/g"


@pytest.mark.parametrize(
    ("capacity", "target", "market"),
    [
        ("on-demand", None, None),
        ("{reservation: cr-0123456789abcdef0}", {"CapacityReservationId": "cr-0123456789abcdef0"}, None),
        (f"{{reservation_group: '{GROUP}'}}", {"CapacityReservationResourceGroupArn": GROUP}, None),
        (
            "{reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}",
            {
                "CapacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-1:000000000000:group/"
                "reservations-00000000000000001"
            },
            None,
        ),
        (
            "{capacity_block: cr-0123456789abcdef0}",
            {"CapacityReservationId": "cr-0123456789abcdef0"},
            {"MarketType": "capacity-block"},
        ),
    ],
    ids=["on-demand", "reservation", "group", "reservations", "capacity-block"],
)
def test_instances_are_launched_into_what_is_reserved(
    capacity: str, target: dict[str, str] | None, market: dict[str, str] | None
):
    data = launched(f", capacity: {capacity}")
    wanted = None if target is None else {"CapacityReservationTarget": target}
    assert data.get("CapacityReservationSpecification") == wanted
    assert data.get("InstanceMarketOptions") == market


@pytest.mark.parametrize(
    ("rest", "placed"),
    [
        ("", True),
        (", placement_group: false", False),
        (", capacity: {reservation: cr-0123456789abcdef0}", False),
        (", capacity: {reservation: cr-0123456789abcdef0}, placement_group: true", True),
        (", efa: false", False),
    ],
)
def test_nodes_with_efa_stand_together_where_no_capacity_is_reserved(rest: str, placed: bool):  # noqa: FBT001  a case
    found = made(rest)
    assert ("PlacementGroup" in found) == placed
    assert ("PlacementGroup" in found["ComputeEnvironment"]["ComputeResources"]) == placed


def test_multi_node_jobs_get_what_batch_documents_for_them():
    computing = made()["ComputeEnvironment"]
    assert (computing["Type"], computing["ComputeResources"]["Type"]) == ("MANAGED", "EC2")
    # An update replaces instances only with the service-linked role and without BEST_FIT.
    assert "ServiceRole" not in computing
    assert computing["ReplaceComputeEnvironment"] is False
    assert computing["ComputeResources"]["AllocationStrategy"] == "BEST_FIT_PROGRESSIVE"
    assert computing["ComputeResources"]["LaunchTemplate"]["Version"] == "7"


@pytest.mark.parametrize(
    ("instance_type", "image"),
    [
        ("p5.48xlarge", {"ImageType": "ECS_AL2023_NVIDIA"}),
        ("m5.large", {"ImageType": "ECS_AL2023"}),
        (
            "trn1.32xlarge",
            {
                "ImageType": "ECS_AL2023",
                "ImageIdOverride": "{{resolve:ssm:/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/"
                "image_id}}",
            },
        ),
    ],
)
def test_every_type_boots_the_image_of_ecs_that_is_for_it(instance_type: str, image: dict[str, str]):
    part = f"queues: [{{name: q, instance_type: {instance_type}}}]"
    assert resources_of(stack_of(part))["ComputeEnvironment"]["ComputeResources"]["Ec2Configuration"] == [image]


def test_an_image_of_one_s_own_takes_its_place_and_that_of_a_queue_before_all():
    part = "image: {ami: ami-0123456789abcdef0}"
    for rest, ami in (("", "ami-0123456789abcdef0"), (", ami: ami-0123456789abcdef1", "ami-0123456789abcdef1")):
        (image,) = made(rest, part)["ComputeEnvironment"]["ComputeResources"]["Ec2Configuration"]
        assert image["ImageIdOverride"] == ami


def test_the_repository_scans_keeps_tags_and_forgets_what_is_old():
    repository = made()["Repository"]
    assert repository["ImageScanningConfiguration"] == {"ScanOnPush": True}
    assert repository["ImageTagMutability"] == "IMMUTABLE"
    rules = json.loads(repository["LifecyclePolicy"]["LifecyclePolicyText"])["rules"]
    assert [rule["action"]["type"] for rule in rules] == ["expire", "expire"]


@pytest.mark.parametrize("keep", [True, False])
def test_logs_stay_or_go_as_the_spec_says(keep: bool):  # noqa: FBT001  a case
    text = stack_of(f"monitoring: {{keep_logs: {str(keep).lower()}, log_retention_days: 30}}\n{QUEUE}}}]").template
    group = yaml.safe_load(text)["Resources"]["LogGroup"]
    assert group["DeletionPolicy"] == ("RetainExceptOnCreate" if keep else "Delete")


@pytest.mark.parametrize(
    ("part", "setting"),
    [
        ("", "ENABLED"),
        ("batch: {container_insights: none}", "DISABLED"),
        ("batch: {container_insights: enhanced}", "ENHANCED"),
    ],
)
def test_container_insights_are_as_asked_for(part: str, setting: str):
    assert made("", part)["ComputeEnvironment"]["EcsSettings"] == {"ContainerInsights": setting}


def test_the_dashboard_asks_for_the_metrics_of_its_compute_environment_and_can_be_left_out():
    body = json.loads(made()["QueueDashboard"]["DashboardBody"])
    asked = [
        part["expression"]
        for widget in body["widgets"]
        for line in widget["properties"].get("metrics", ())
        for part in line
    ]
    assert len(asked) == 8
    found = "{ECS/ContainerInsights,ClusterName}"
    assert asked[0] == f"SEARCH('{found} \"selected\" MetricName=\"ContainerInstanceCount\"', 'Average', 60)"
    assert "QueueDashboard" not in made("", "monitoring: {dashboard: false}")


def test_instances_have_the_tags_by_which_prometheus_finds_them():
    tags = made("", "name: llm\ntags: {team: a b, Name: mine}")["ComputeEnvironment"]["ComputeResources"]["Tags"]
    assert tags == {"Name": "mine", "trainyard:cluster": "llm", "trainyard:queue": "q", "team": "a b"}


ROLES = {
    "InstanceRole": "ec2.amazonaws.com",
    "ExecutionRole": "ecs-tasks.amazonaws.com",
    "JobRole": "ecs-tasks.amazonaws.com",
}


def test_roles_are_for_one_service_each_within_the_boundary_and_under_the_prefix():
    boundary = "arn:aws:iam::123456789012:policy/b"
    found = made("", f"iam: {{permissions_boundary: '{boundary}', resource_prefix: /team/ml-}}")
    for name, service in ROLES.items():
        (trust,) = found[name]["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": service}
        assert found[name]["PermissionsBoundary"] == boundary
        assert found[name]["Path"] == "/team/"
        assert found[name]["RoleName"].startswith("ml-batch-distributed-training-")
    assert found["InstanceProfile"]["Path"] == "/team/"


def test_what_a_job_may_do_is_nothing_until_a_policy_says_so():
    assert not {"ManagedPolicyArns", "Policies"} & made()["JobRole"].keys()
    policy = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
    assert made("", f"batch: {{job_policies: ['{policy}']}}")["JobRole"]["ManagedPolicyArns"] == [policy]


def test_only_the_token_of_the_registry_is_for_everything():
    image = "123456789012.dkr.ecr.us-west-2.amazonaws.com/team/train:1"
    (policy,) = made("", f"batch: {{pytorch_image: {image}}}")["ExecutionRole"]["Policies"]
    token, pulled, written = policy["PolicyDocument"]["Statement"]
    assert (token["Action"], token["Resource"]) == ("ecr:GetAuthorizationToken", "*")
    assert pulled["Resource"][1:] == ["arn:aws:ecr:us-west-2:123456789012:repository/team/train"]
    assert "*" not in (pulled["Resource"][0], written["Resource"])
    assert not [action for one in (pulled, written) for action in one["Action"] if "*" in action]


def test_nodes_ask_about_file_systems_only_where_they_mount_any():
    assert "Policies" not in made()["InstanceRole"]
    (policy,) = made("", "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]")["InstanceRole"][
        "Policies"
    ]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Resource"] == "arn:aws:fsx:us-east-2:123456789012:*"


def test_user_data_is_in_parts_and_hands_the_settings_to_the_script():
    text = launched("")["UserData"]
    head, settings, script, tail = text.split("--==NODE==")
    assert head.startswith('MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="==NODE=="')
    assert yaml.safe_load(settings.partition("\n\n")[2])["write_files"][0]["content"] == (
        'REGION="us-east-2"\nFILE_SYSTEMS=""\nSCRATCH_MOUNT="/scratch"\nHUGE_PAGES="5128"\n'
    )
    assert script.partition("\n\n")[2].startswith("#!/bin/bash\n")
    assert tail.strip() == "--"
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html: 16 KB
    assert len(text.encode()) < 16_384
