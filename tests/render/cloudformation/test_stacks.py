"""Which stacks a spec has, and what it says to them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from tests.render.changes import CHANGES, before_and_after
from tests.render.cloudformation.templates import TEMPLATES
from tests.specs import spec_of, spec_texts
from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

PRIVATE = "private_subnets: [subnet-0123456789abcdef0]"
PUBLIC = "public_subnets: [subnet-0123456789abcdef1, subnet-0123456789abcdef2]"
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b"
SECURE = f"monitoring: {{mode: self-hosting, certificate: '{ARN}'}}\n"
EXISTING = f"network: {{existing: {{vpc: vpc-0123456789abcdef0, {PRIVATE}, {PUBLIC}}}}}\n"
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]\n"
SELF_HOSTED = "monitoring: {mode: self-hosting}\n"


def made(part: str | Spec = "", **outputs: str) -> dict[str, Stack]:
    spec = part if isinstance(part, Spec) else spec_of(part)
    return {stack.kind: stack for stack in stacks(spec, Ids(outputs))}


def types_in(stack: Stack) -> list[str]:
    return [resource.type for resource in resources(stack)]


@pytest.mark.parametrize(
    ("part", "kinds"),
    [
        ("", ["network"]),
        (LUSTRE, ["network", "storage"]),
        ("file_systems: [{mount: /home, openzfs: {size_gib: 64}}]", ["network", "storage"]),
        ("file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]", ["network"]),
        ("file_systems: [{mount: /apps, ebs: {size_gib: 64}}]", ["network"]),
        ("monitoring: {mode: amp-only}", ["network", "monitoring", "rules", "assets"]),
        ("software: {setup: gpu}", ["network", "assets"]),
        (
            f"{LUSTRE}monitoring: {{mode: amp+amg}}\nlogin_nodes: {{}}",
            ["network", "storage", "monitoring", "rules", "assets"],
        ),
        (EXISTING, []),
        (f"{EXISTING}access: {{allow_from: [203.0.113.7/32]}}", []),
        (f"{EXISTING}access: {{allow_from: [203.0.113.7/32, 198.51.100.0/24]}}", ["network"]),
        (f"{EXISTING}{LUSTRE}", ["network", "storage"]),
        (f"{EXISTING}{SELF_HOSTED}", ["network", "monitoring", "assets"]),
    ],
)
def test_a_spec_has_the_stacks_that_it_needs_in_the_order_of_their_making(part: str, kinds: list[str]):
    assert list(made(part)) == kinds


def test_a_stack_is_named_and_tagged_after_its_cluster():
    network = made("name: llm\ntags: {team: a b}")["network"]
    assert network.name == "llm-network"
    assert network.tags == {"team": "a b", "trainyard:cluster": "llm"}


def test_a_stack_says_which_bucket_its_spec_named():
    network = made("name: llm\nassets: {bucket: ml-assets}")["network"]
    assert network.tags == {"trainyard:cluster": "llm", "trainyard:bucket": "ml-assets"}


@pytest.mark.parametrize(
    ("prefix", "parameters", "capability"),
    [
        (None, {}, "CAPABILITY_NAMED_IAM"),
        ("/team/", {"IamPath": "/team/"}, "CAPABILITY_NAMED_IAM"),
        ("ml-", {"IamNamePrefix": "ml-"}, "CAPABILITY_NAMED_IAM"),
        ("/team/ml-", {"IamPath": "/team/", "IamNamePrefix": "ml-"}, "CAPABILITY_NAMED_IAM"),
    ],
)
def test_roles_and_policies_are_named_as_the_organisation_wants(
    prefix: str | None, parameters: dict[str, str], capability: str
):
    written = "" if prefix is None else f"iam: {{resource_prefix: {prefix}}}\n"
    given_stacks = made(f"{written}monitoring: {{mode: amp+amg}}\nlogin_nodes: {{}}")
    for kind in ("monitoring", "assets"):
        stack = given_stacks[kind]
        assert {name: value for name, value in stack.parameters.items() if name.startswith("Iam")} == parameters
        assert stack.capabilities == (capability,)
    assert given_stacks["network"].capabilities == ()


def test_outputs_of_earlier_stacks_are_parameters_of_later_ones():
    storage = made(LUSTRE, PrimaryPrivateSubnet="subnet-0a", FileSystemSecurityGroup="sg-0b")["storage"]
    assert storage.parameters["SubnetId"] == "subnet-0a"
    assert storage.parameters["FileSystemSecurityGroup"] == "sg-0b"


def test_without_internet_there_is_no_way_to_it():
    types = types_in(made("network: {internet: none}\nlogin_nodes: {subnet: private}")["network"])
    assert not [type_ for type_ in types if type_.endswith(("InternetGateway", "NatGateway", "EIP", "EC2::Route"))]
    assert types.count("AWS::EC2::VPCEndpoint") == 9  # two gateways, five for every node, two for login nodes


def test_with_internet_no_endpoint_costs_anything():
    network = made()["network"]
    endpoints = {resource.logical_id for resource in resources(network) if resource.type == "AWS::EC2::VPCEndpoint"}
    assert endpoints == {"S3Endpoint", "DynamoDBEndpoint"}
    assert {"AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::EC2::InternetGateway"} <= set(types_in(network))


def test_a_network_that_exists_gets_security_groups_and_nothing_else():
    types = types_in(made(f"{EXISTING}{LUSTRE}")["network"])
    assert {type_ for type_ in types if "SecurityGroup" not in type_} == set()


def test_each_further_zone_has_a_subnet_named_by_its_letter():
    part = """\
network: {availability_zone: us-east-2a}
queues:
  - {name: a, instance_type: m5.large, availability_zone: [us-east-2c, us-east-2a]}
  - {name: b, instance_type: m5.large, availability_zone: us-east-2b}
"""
    network = made(part)["network"]
    subnets = {resource.logical_id for resource in resources(network) if resource.type == "AWS::EC2::Subnet"}
    assert subnets == {"PublicSubnet", "PrimaryPrivateSubnet", "PrivateSubnetB", "PrivateSubnetC"}
    assert network.parameters["PrivateSubnetAZC"] == "us-east-2c"


def test_a_second_file_system_of_a_kind_has_parameters_of_its_own():
    part = """\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
  - {mount: /given, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /old, lustre: {size_gib: 1200, deployment: SCRATCH_2}}
"""
    storage = made(part)["storage"]
    assert [storage.parameters[name] for name in ("Capacity", "Capacity2")] == ["4800", "1200"]
    assert storage.parameters["PerUnitStorageThroughput2"] == ""
    assert [resource.logical_id for resource in resources(storage)] == ["Lustre", "Lustre2"]


OF_LOAD_BALANCER = {
    "LoadBalancer", "GrafanaTargets", "GrafanaListener", "LoadBalancerSecurityGroup", "LoadBalancerToGrafana",
    "LoadBalancerFromPrefixList", "SecondarySubnet", "SecondarySubnetRouteTableAssociation",
}  # fmt: skip


@pytest.mark.parametrize(("part", "found"), [(SECURE, OF_LOAD_BALANCER), (SELF_HOSTED, set())])
def test_a_self_hosted_grafana_has_a_load_balancer_only_where_there_is_a_certificate(part: str, found: set[str]):
    stacks_of_it = made(f"access: {{allow_from: [203.0.113.7/32]}}\n{part}")
    names = {resource.logical_id for stack in stacks_of_it.values() for resource in resources(stack)}
    assert names & OF_LOAD_BALANCER == found


def test_without_a_load_balancer_nothing_is_said_about_one():
    stacks_of_it = made(f"access: {{allow_from: [203.0.113.7/32]}}\n{SELF_HOSTED}")
    assert stacks_of_it["network"].parameters["GrafanaLoadBalancer"] == "false"
    assert not [name for name in stacks_of_it["network"].parameters if name.startswith("AllowedIPs")]
    assert not [name for name in stacks_of_it["monitoring"].parameters if name.startswith("LoadBalancer")]


def test_without_internet_a_self_hosted_prometheus_reaches_what_it_needs():
    network = made(f"network: {{internet: none}}\n{SELF_HOSTED}")["network"]
    ways = {resource.logical_id for resource in resources(network) if resource.type == "AWS::EC2::VPCEndpoint"}
    assert {
        "S3Endpoint", "SecretsManagerVpcEndpoint", "SessionManagerEndpoint", "SessionManagerMessagesEndpoint",
        "NotificationEndpoint",
    } <= ways  # fmt: skip


def test_the_instance_may_use_the_key_of_the_bucket():
    key = "arn:aws:kms:us-east-2:123456789012:key/1a2b"
    assert made(f"iam: {{kms_key: '{key}'}}\n{SELF_HOSTED}")["monitoring"].parameters["KmsKeyArn"] == key


def test_without_internet_the_load_balancer_is_private():
    parameters = made(f"network: {{internet: none}}\n{SECURE}")["monitoring"].parameters
    assert parameters["LoadBalancerScheme"] == "internal"
    assert parameters["LoadBalancerSubnet1"] == parameters["MonitoringSubnet"]


def test_login_nodes_may_read_their_scripts_and_nothing_beside_them():
    part = """\
software: {setup: gpu}
login_nodes: {custom_actions: {on_start: [{script: 's3://mine/a,b.sh'}, {script: 'https://example.com/c.sh'}]}}
"""
    assert made(part)["assets"].parameters["LoginObjects"] == "arn:aws:s3:::mine/a?b.sh"


@pytest.mark.parametrize(
    "part",
    [
        f"access: {{allow_from: [{', '.join(f'10.0.{n}.0/24' for n in range(11))}]}}",
        "queues: [{name: q, instance_type: m5.large, availability_zone: us-east-1g}]",
        "file_systems:" + "".join(f"\n  - {{mount: /m{n}, openzfs: {{size_gib: 64}}}}" for n in range(3)),
    ],
    ids=["ranges", "zones", "file systems"],
)
def test_what_has_no_place_in_a_template_is_refused(part: str):
    with pytest.raises(TrainyardError) as refusal:
        made(part)
    assert refusal.value.hint


# cluster.yaml alone is told of a proxy, of groups of one's own, and of subnets where no stack is made; nodes of names,
# of a budget and of what NCCL says.
ELSEWHERE = {
    "network.http_proxy",
    "network.connected_ranges",
    "network.existing.security_groups",
    "monitoring.alert_receivers[0].kind",
    "monitoring.detailed",
    "monitoring.logs",
    "monitoring.log_retention_days",
    "monitoring.keep_logs",
    "monitoring.log_rotation",
    "monitoring.dashboard",
    "monitoring.alarms",
    "monitoring.all_host_metrics",
    "monitoring.slurm_names",
    "monitoring.budget_usd_month",
    "monitoring.nccl_ras",
    "monitoring.nccl_inspector",
    "file_systems[0].lustre.id",
    "file_systems[2].openzfs.id",
}
IN_EXISTING = {path for path in CHANGES if path.startswith("network.existing.")} - ELSEWHERE
MADE_BY_US = re.compile(r"network\.|monitoring\.|file_systems\[\d\]\.(lustre|openzfs)\.")
TOLD = [path for path in CHANGES if MADE_BY_US.match(path) and path not in ELSEWHERE]


@pytest.mark.parametrize("path", TOLD)
def test_every_field_of_network_storage_and_monitoring_changes_the_stacks(path: str):
    before, after = (all_of(with_stacks(spec) if path in IN_EXISTING else spec) for spec in before_and_after(path))
    assert before != after


def with_stacks(spec: dict[str, Any]) -> dict[str, Any]:
    return spec | {"monitoring": {"mode": "self-hosting", "certificate": ARN}}


def all_of(spec: dict[str, Any]) -> list[Any]:
    rendered = stacks(parse(yaml_text(spec), "cluster.yaml").spec, Ids({}))
    return [(stack.name, stack.parameters, stack.template) for stack in rendered]


@given(spec_texts())
def test_every_parameter_is_one_that_its_template_takes(text: str):
    for stack in stacks(parse(text, "cluster.yaml").spec, Ids({})):
        known = TEMPLATES[stack.kind]["Parameters"]
        assert stack.parameters.keys() <= known.keys()
        for name, value in stack.parameters.items():
            allowed = [str(one) for one in known[name].get("AllowedValues", [value])]
            assert value in allowed
            assert re.fullmatch(known[name].get("AllowedPattern", ".*"), value)
        required = {name for name, one in known.items() if "Default" not in one}
        assert required <= stack.parameters.keys()
