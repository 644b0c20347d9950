"""Who may do what: the rendered policies of every node of every ParallelCluster architecture, against a table.

What ParallelCluster adds to roles by itself is not ours and not here:
https://docs.aws.amazon.com/parallelcluster/latest/ug/iam-roles-in-parallelcluster-v3.html
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest

from tests.iam_policy import Statement, allowed
from tests.render.cloudformation.templates import TEMPLATES
from tests.specs import spec_of
from trainyard.architectures import all_architectures
from trainyard.platforms.parallelcluster.rendering.cluster import cluster
from trainyard.rehearsal.emulated.engine.functions import resolve
from trainyard.rehearsal.emulated.engine.scope import Scope
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ACCOUNT = "123456789012"
BUCKET = "arn:aws:s3:::ml-assets"
# What AWS's own policies allow, as far as the table asks: none of them reaches S3, IAM or another service's data.
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSSMManagedInstanceCore.html
# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonEC2ContainerRegistryReadOnly.html
OF_AWS: dict[str, list[str]] = {
    "AmazonSSMManagedInstanceCore": [
        "ssm:GetParameter",
        "ssm:UpdateInstanceInformation",
        "ssmmessages:*",
        "ec2messages:*",
    ],
    "AmazonEC2ContainerRegistryReadOnly": [
        "ecr:GetAuthorizationToken",
        "ecr:BatchGetImage",
        "ecr:GetDownloadUrlForLayer",
    ],
}
LOGIN = "login_nodes: {count: 1}\nsoftware: {setup: cpu}\niam: {read_buckets: [mine]}\n"


class _Account:
    account_id, region = ACCOUNT, "us-east-2"


def instance(id_: str) -> str:
    return f"arn:aws:ec2:us-east-2:{ACCOUNT}:instance/{id_}"


def resolved(spec: Spec, kind: str, resource: str) -> dict[str, Any]:
    """Return the properties of a resource of a stack, as CloudFormation would resolve them."""
    stack = next(stack for stack in stacks(spec, Ids({})) if stack.kind == kind)
    template = TEMPLATES[kind]
    defaults = {name: value.get("Default", "") for name, value in template["Parameters"].items()}
    parameters = {**defaults, **stack.parameters, "S3BucketName": "ml-assets", "AssetsFolder": "trainyard/llm"}
    scope = Scope(
        template, parameters, {}, {}, "stack", f"arn:aws:cloudformation:us-east-2:{ACCOUNT}:stack/stack/0a-1b",
        cast("InProcessAccount", _Account()), planned=frozenset(template["Resources"]),
    )  # fmt: skip
    return cast("dict[str, Any]", resolve(template["Resources"][resource]["Properties"], scope))


def statements_of(spec: Spec, iam: dict[str, Any]) -> Iterator[Statement]:
    """Yield what the Iam section of nodes allows. A policy that is not known here has to be judged first."""
    for entry in iam["AdditionalIamPolicies"]:
        name = entry["Policy"].rpartition("/")[2]
        if name in OF_AWS:
            yield {"Effect": "Allow", "Action": OF_AWS[name], "Resource": "*"}
        elif name.startswith("node-assets-"):
            yield from resolved(spec, "assets", "NodeAssetsPolicy")["PolicyDocument"]["Statement"]
        else:
            assert name.startswith("amp-remote-write-"), f"{name} is not known to be narrow"
            yield from resolved(spec, "monitoring", "AMPRemoteWritePolicy")["PolicyDocument"]["Statement"]
    for access in iam.get("S3Access", ()):
        # As ParallelCluster makes it of an entry without EnableWriteAccess: S3Access in cdk_builder_utils.py, 3.16.1.
        bucket, key = f"arn:aws:s3:::{access['BucketName']}", access.get("KeyName")
        resources = [bucket, f"{bucket}/*"] if key is None else [f"{bucket}/{key}"]
        assert not access.get("EnableWriteAccess")
        yield {"Effect": "Allow", "Action": ["s3:Get*", "s3:List*"], "Resource": resources}


SPECS = {
    **{architecture.name: architecture.text for architecture in all_architectures()},
    "with-login-nodes": None,
}


@cache
def roles(name: str) -> dict[str, tuple[Statement, ...]]:
    """Return the statements of each role of a spec: of the head node, login nodes and every queue."""
    text = SPECS[name]
    spec = spec_of(LOGIN) if text is None else parse(text, "cluster.yaml").spec
    config = cluster(spec, Ids({}))
    sections = {"head": config["HeadNode"]["Iam"]}
    sections |= {f"login {pool['Name']}": pool["Iam"] for pool in config.get("LoginNodes", {}).get("Pools", ())}
    sections |= {f"queue {queue['Name']}": queue["Iam"] for queue in config["Scheduling"]["SlurmQueues"]}
    return {role: tuple(statements_of(spec, iam)) for role, iam in sections.items()}


OF_PARALLELCLUSTER = [name for name, text in SPECS.items() if text is None or "platform: parallelcluster" in text]
ROLES = [pytest.param(name, role, id=f"{name}, {role}") for name in OF_PARALLELCLUSTER for role in roles(name)]
OWN, OTHER = "i-0a1b2c3d4e5f60718", "i-0a1b2c3d4e5f60719"
FOLDER = f"{BUCKET}/trainyard/llm"
DENIED = [
    ("s3:PutObject", f"{FOLDER}/nodes/{instance(OTHER)}.json"),
    ("s3:PutObject", f"{FOLDER}/nodes/{instance(OTHER)}/20-efa.log"),
    ("s3:PutObject", f"{FOLDER}/nodes/{instance(OWN)}0.json"),
    ("s3:PutObject", f"{FOLDER}/nodes/{instance(OWN)[:-1]}.json"),
    ("s3:PutObject", f"{FOLDER}/nodes/{OWN}.json"),
    ("s3:PutObject", f"{FOLDER}/nodes/{OTHER}.json"),
    ("s3:PutObject", f"{FOLDER}/release"),
    ("s3:PutObject", f"{FOLDER}/launch.sh"),
    ("s3:PutObject", f"{BUCKET}/trainyard/other/nodes/{instance(OWN)}.json"),
    ("s3:DeleteObject", f"{FOLDER}/nodes/{instance(OWN)}.json"),
    ("s3:PutObjectAcl", f"{FOLDER}/nodes/{instance(OWN)}.json"),
    ("s3:PutBucketPolicy", BUCKET),
    ("s3:GetObject", f"{BUCKET}/trainyard/other/release"),
    ("s3:GetObject", "arn:aws:s3:::payroll/salaries.csv"),
    ("s3:ListBucket", "arn:aws:s3:::payroll"),
    ("s3:PutObject", "arn:aws:s3:::payroll/salaries.csv"),
    ("s3:PutObject", "arn:aws:s3:::replace-me/data"),
    ("s3:ListAllMyBuckets", "*"),
    ("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/admin"),
    ("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/parallelcluster/llm/llm-RoleHeadNode-0A1B"),
    ("iam:CreateRole", f"arn:aws:iam::{ACCOUNT}:role/x"),
    ("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/admin"),
    ("ec2:RunInstances", "*"),
    ("ec2:TerminateInstances", instance(OTHER)),
    ("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-east-2:{ACCOUNT}:secret:grafana-AbCdEf"),
    ("kms:Decrypt", f"arn:aws:kms:us-east-2:{ACCOUNT}:key/1a2b"),
    ("ssm:SendCommand", instance(OTHER)),
]
CONTEXT = {"ec2:SourceInstanceARN": instance(OWN)}


def test_all_parallelcluster_architectures_are_in_the_table():
    assert len(OF_PARALLELCLUSTER) == 9


@pytest.mark.parametrize(("name", "role"), ROLES)
def test_a_node_is_denied_what_is_not_its_own(name: str, role: str):
    assert [call for call in DENIED if allowed(roles(name)[role], *call, CONTEXT)] == []


WITH_ASSETS = [
    pytest.param(name, role, id=f"{name}, {role}")
    for name in OF_PARALLELCLUSTER
    for role, statements in roles(name).items()
    if any(statement.get("Sid") == "OwnReports" for statement in statements)
]


@pytest.mark.parametrize(("name", "role"), WITH_ASSETS)
def test_a_node_reads_its_release_and_writes_below_its_own_arn(name: str, role: str):
    statements = roles(name)[role]
    assert allowed(statements, "s3:GetObject", f"{FOLDER}/release", CONTEXT)
    for number in range(100):
        own = instance(f"i-{number:017x}")
        context = {"ec2:SourceInstanceARN": own}
        assert allowed(statements, "s3:PutObject", f"{FOLDER}/nodes/{own}.json", context)
        assert allowed(statements, "s3:PutObject", f"{FOLDER}/nodes/{own}/20-efa.log", context)
        assert not allowed(statements, "s3:PutObject", f"{FOLDER}/nodes/{instance(OWN)}.json", context)


def test_credentials_that_were_given_to_no_instance_write_nothing():
    statements = roles("with-login-nodes")["head"]
    for key in ("nodes/.json", "nodes//x", f"nodes/{instance(OWN)}.json", "nodes/${ec2:SourceInstanceARN}.json"):
        assert not allowed(statements, "s3:PutObject", f"{FOLDER}/{key}", {})


@pytest.mark.parametrize("kind", ["head", "login", "queue"])
def test_buckets_that_the_spec_names_are_read_and_not_written(kind: str):
    statements = next(value for key, value in roles("with-login-nodes").items() if key.startswith(kind))
    assert allowed(statements, "s3:GetObject", "arn:aws:s3:::mine/a/b", CONTEXT)
    assert allowed(statements, "s3:ListBucket", "arn:aws:s3:::mine", CONTEXT)
    assert not allowed(statements, "s3:PutObject", "arn:aws:s3:::mine/a/b", CONTEXT)
    assert not allowed(statements, "s3:GetObject", "arn:aws:s3:::mine-2/a", CONTEXT)


def test_login_nodes_read_their_own_scripts_as_the_rule_about_them_has_it():
    script = "{custom_actions: {after_setup: [{script: s3://scripts/login.sh}]}}"
    spec = spec_of(f"name: llm\nlogin_nodes: {script}\nsoftware: {{setup: cpu}}\n")
    (pool,) = cluster(spec, Ids({}))["LoginNodes"]["Pools"]
    statements = tuple(statements_of(spec, pool["Iam"]))
    assert allowed(statements, "s3:GetObject", "arn:aws:s3:::scripts/login.sh", CONTEXT)
    assert not allowed(statements, "s3:GetObject", "arn:aws:s3:::scripts/other.sh", CONTEXT)


def test_the_monitoring_instance_writes_below_its_own_arn_alone():
    spec = spec_of("name: llm\nmonitoring: {mode: self-hosting}\n")
    policies = resolved(spec, "monitoring", "MonitoringRole")["Policies"]
    statements = [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]
    assert allowed(statements, "s3:PutObject", f"{FOLDER}/nodes/{instance(OWN)}.json", CONTEXT)
    others = [call for call in DENIED if not call[0].startswith("secretsmanager:")]
    assert [call for call in others if allowed(statements, *call, CONTEXT)] == []
    assert not allowed(statements, *DENIED[-3], CONTEXT)


def test_the_monitoring_instance_attaches_its_own_volume_to_instances_of_its_stack_alone():
    spec = spec_of("name: llm\nmonitoring: {mode: self-hosting, volume_id: vol-0123456789abcdef0}\n")
    policies = resolved(spec, "monitoring", "MonitoringRole")["Policies"]
    statements = [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]
    volume = f"arn:aws:ec2:us-east-2:{ACCOUNT}:volume/vol-0123456789abcdef0"
    tag = "aws:ResourceTag/aws:cloudformation:stack-id"
    of_stack = {tag: f"arn:aws:cloudformation:us-east-2:{ACCOUNT}:stack/stack/0a-1b"}
    assert allowed(statements, "ec2:AttachVolume", volume, CONTEXT)
    assert allowed(statements, "ec2:AttachVolume", instance(OWN), of_stack)
    assert not allowed(statements, "ec2:AttachVolume", instance(OTHER), {**of_stack, tag: "another"})
    assert not allowed(statements, "ec2:AttachVolume", instance(OTHER), {})
    assert not allowed(statements, "ec2:AttachVolume", f"{volume[:-1]}1", of_stack)
    assert not allowed(statements, "ec2:DetachVolume", volume, of_stack)


LOGS = f"arn:aws:logs:us-east-2:{ACCOUNT}:log-group:"
# Of llm, of llm-2, of AWS Batch's llm, of a function of somebody else.
OF_LLM, OF_LLM_2 = (f"{LOGS}/aws/parallelcluster/{name}-202611291200:*" for name in ("llm", "llm-2"))
OF_BATCH, OF_OTHERS = f"{LOGS}llm-batch-LogGroup-AbCd1234:*", f"{LOGS}/aws/lambda/secrets:*"
BATCH = """\
name: llm
region: us-east-2
platform: batch
network: {availability_zone: us-east-2a}
queues: [{name: train, instance_type: p4d.24xlarge, nodes: {min: 0, max: 2}}]
monitoring: {mode: amp+amg}
"""


@pytest.mark.parametrize("mode", ["amp+amg", "self-hosting", "amp-only"])
def test_grafana_queries_the_logs_of_its_cluster_alone(mode: str):
    spec = spec_of(f"name: llm\nmonitoring: {{mode: {mode}}}\n")
    statements = resolved(spec, "monitoring", "LogQueryPolicy")["PolicyDocument"]["Statement"]
    for action in ("logs:StartQuery", "logs:GetQueryResults"):
        assert allowed(statements, action, OF_LLM, {})
        assert [group for group in (OF_LLM_2, OF_BATCH, OF_OTHERS) if allowed(statements, action, group, {})] == []
    beyond = ["GetLogEvents", "FilterLogEvents", "PutLogEvents", "DeleteLogGroup", "PutQueryDefinition", "Unmask"]
    assert [action for action in beyond if allowed(statements, f"logs:{action}", OF_LLM, {})] == []


@pytest.mark.parametrize(("mode", "role"), [("amp+amg", "GrafanaRole"), ("self-hosting", "MonitoringRole")])
def test_a_cluster_without_logs_in_cloudwatch_gives_grafana_no_rights_to_any(mode: str, role: str):
    for logs, number in (("true", 2), ("false", 1)):
        spec = spec_of(f"name: llm\nmonitoring: {{mode: {mode}, logs: {logs}}}\n")
        assert len(resolved(spec, "monitoring", role)["ManagedPolicyArns"]) == number


def test_grafana_of_an_environment_queries_logs_with_its_tag_alone():
    text = """\
kind: environment
name: use2
region: us-east-2
network: {availability_zone: us-east-2a}
monitoring: {mode: amp+amg}
"""
    environment = parse(text, "environment.yaml").spec
    assert environment is not None
    statements = resolved(environment, "monitoring", "LogQueryPolicy")["PolicyDocument"]["Statement"]
    tag = "aws:ResourceTag/trainyard:environment"
    for group in (OF_LLM, OF_LLM_2, OF_BATCH):
        assert allowed(statements, "logs:StartQuery", group, {tag: "use2"})
        assert not allowed(statements, "logs:StartQuery", group, {tag: "other"})
        assert not allowed(statements, "logs:StartQuery", group, {})


def test_grafana_of_a_batch_cluster_queries_what_its_jobs_print_alone():
    spec = parse(BATCH, "batch.yaml").spec
    assert spec is not None
    statements = resolved(spec, "monitoring", "LogQueryPolicy")["PolicyDocument"]["Statement"]
    assert allowed(statements, "logs:StartQuery", OF_BATCH, {})
    groups = (OF_LLM, OF_OTHERS, OF_BATCH.replace("llm", "llm-2"))
    assert [group for group in groups if allowed(statements, "logs:StartQuery", group, {})] == []
