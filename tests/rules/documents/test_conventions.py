"""What holds for every rule about documents, so that one can be added by adding one file and its test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import trainyard.rules.documents
from tests.each_case import each_case
from tests.examples import example_document, read_example
from trainyard.checking.foreign_file import document_findings
from trainyard.checking.recognition import FUNCTIONS, recognise
from trainyard.document.node import Document
from trainyard.document.read import read_yaml
from trainyard.rules import DocumentKind, DocumentRule, all_document_rules, all_rules
from trainyard.rules.scripts.line_rules import line_rules

RULES = all_document_rules()
# The others are data, tested in tests/rules/scripts/.
OWN_FILES = [rule for rule in RULES if rule.id not in {of_lines.id for of_lines in line_rules()}]
EACH_RULE = each_case("rule", RULES, ids=lambda rule: rule.id)


def ids_found_in(rule: DocumentRule, part: str) -> set[str]:
    document = read_example(rule.kinds[0], part)
    return {finding.id for finding in document_findings(document, rule.kinds[0])}


def test_every_file_in_the_folder_is_a_rule():
    files = {file.stem for file in Path(trainyard.rules.documents.__file__).parent.glob("*.py")} - {"__init__"}
    assert files <= {rule.id.replace("-", "_") for rule in RULES}


def test_every_rule_stands_in_the_folder_or_beside_the_rule_about_specs_that_judges_the_same():
    folder = Path(trainyard.rules.documents.__file__).parent
    texts = [file.read_text(encoding="utf-8") for file in folder.parent.glob("*.py")]
    for rule in OWN_FILES:
        has_file = (folder / f"{rule.id.replace('-', '_')}.py").is_file()
        assert has_file + sum(f'"{rule.id}",' in text for text in texts) == 1


def test_no_two_rules_have_the_same_id():
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_no_rule_about_specs_has_the_same_id():
    assert {rule.id for rule in RULES} & {rule.id for rule in all_rules()} == set()


@EACH_RULE
def test_examples_are_documents_of_their_kind(rule: DocumentRule):
    for part in (rule.bad, rule.good):
        text = example_document(rule.kinds[0], part)
        assert recognise(text, "Dockerfile" if rule.kinds[0] == "dockerfile" else "file").kind == rule.kinds[0]


@EACH_RULE
def test_the_bad_example_is_found(rule: DocumentRule):
    assert rule.id in ids_found_in(rule, rule.bad)


@EACH_RULE
def test_the_good_example_is_clean_of_this_and_every_other_rule(rule: DocumentRule):
    assert ids_found_in(rule, rule.good) == set()


@EACH_RULE
def test_a_rule_says_why_what_to_do_and_who_says_so(rule: DocumentRule):
    assert re.fullmatch(r"https://\S+", rule.source)
    assert rule.severity in ("error", "warning", "info")
    assert len(rule.rationale) > 60
    assert rule.rationale.endswith(".")
    assert not rule.remedy.endswith(".")
    assert not rule.title.endswith(".")


@each_case("rule", OWN_FILES, ids=lambda rule: rule.id)
def test_a_rule_has_a_test_of_its_own(rule: DocumentRule):
    assert (Path(__file__).parent / f"test_{rule.id.replace('-', '_')}.py").is_file()


@EACH_RULE
def test_every_path_that_a_rule_yields_leads_to_something_written(rule: DocumentRule):
    document = read_example(rule.kinds[0], rule.bad)
    for problem in rule.check(document):
        assert document.root.at(problem.path) is not document.root


@EACH_RULE
def test_a_finding_carries_the_user_s_own_value_or_name(rule: DocumentRule):
    document = read_example(rule.kinds[0], rule.bad)
    written = set(re.findall(r"[\w./-]{2,}", rule.bad.replace(",", "")))
    for problem in rule.check(document):
        words = set(re.findall(r"[\w./-]{2,}", problem.message.replace(",", "")))
        assert words & written or any(word in rule.bad for word in words if not word.isalpha())


# Whatever stands where another shape is expected is passed over by every rule that it does not concern.
ODD = ("null", "text", "1", "true", "[]", "{}", "[[]]", "[null]", "[{}]", "{a: {b: [c]}}", "!Ref a", "!If [a, b]")
EKSCTL = ("managedNodeGroups", "nodeGroups", "addons", "availabilityZones", "vpc", "metadata", "privateCluster")
NODES = (
    "name", "instanceType", "instanceTypes", "instancesDistribution", "efaEnabled", "availabilityZones", "subnets",
    "capacityReservation", "instanceMarketOptions", "ssh", "iam", "ami", "amiFamily", "minSize", "placement", "spot",
    "launchTemplate",
)  # fmt: skip
TEMPLATE = ("Parameters", "Conditions", "Resources")
PROPERTIES = {
    "AWS::EC2::LaunchTemplate": ("LaunchTemplateData",),
    "AWS::Batch::ComputeEnvironment": ("ComputeResources",),
    "AWS::Batch::JobDefinition": ("NodeProperties",),
    "AWS::EC2::SecurityGroup": ("SecurityGroupIngress",),
    "AWS::EC2::VPCGatewayAttachment": ("InternetGatewayId",),
    "AWS::EC2::Route": ("GatewayId",),
    "AWS::EC2::SecurityGroupEgress": ("GroupId", "IpProtocol", "DestinationSecurityGroupId"),
    "AWS::Lambda::Function": ("Runtime",),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": ("Subnets", "Type"),
    "AWS::IAM::Role": ("ManagedPolicyArns", "Policies", "RoleName", "Path"),
    "AWS::IAM::Policy": ("PolicyDocument",),
    "AWS::IAM::InstanceProfile": ("Roles",),
    "AWS::PCS::Cluster": ("Size", "Scheduler"),
    "AWS::PCS::ComputeNodeGroup": (
        "ClusterId",
        "ScalingConfiguration",
        "PurchaseOption",
        "CustomLaunchTemplate",
        "InstanceConfigs",
        "IamInstanceProfileArn",
    ),
    "AWS::EKS::Nodegroup": ("ScalingConfig", "InstanceTypes", "LaunchTemplate"),
    "AWS::SageMaker::Cluster": ("InstanceGroups",),
}
WITHIN = (
    "LaunchTemplateData: {%s: %s}", "ComputeResources: {%s: %s}",
    "NodeProperties: {NodeRangeProperties: [{Container: {%s: %s}}]}",
)  # fmt: skip
INNER = (
    ("NetworkInterfaces", "ImageId", "MetadataOptions", "CapacityReservationSpecification", "InstanceType"),
    ("Type", "InstanceTypes", "MaxvCpus", "MinvCpus", "PlacementGroup", "Ec2Configuration", "LaunchTemplate"),
    ("Image", "Ulimits", "LinuxParameters", "ResourceRequirements", "Privileged"),
)
MANIFEST_POD = ("nodeSelector", "affinity", "volumes", "initContainers", "hostIPC", "restartPolicy")
MANIFEST_CONTAINER = ("image", "env", "command", "args", "resources", "volumeMounts", "securityContext")
DEVICES = "resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 1}}"
EFA = (
    "E: {Type: AWS::EC2::LaunchTemplate, Properties: {LaunchTemplateData: {NetworkInterfaces: [{InterfaceType: efa}]}}}"
)


def odd_configs(odd: str) -> Iterator[str]:
    yield from (f"{key}: {odd}" for key in EKSCTL)
    yield from (
        f"nodeGroups: [{{{key}: {odd}}}]"
        if key == "efaEnabled"
        else f"nodeGroups: [{{efaEnabled: true, {key}: {odd}}}]"
        for key in NODES
    )


def odd_templates(odd: str) -> Iterator[str]:
    yield from (f"{key}: {odd}" for key in TEMPLATE)
    properties = [(type_, odd) for type_ in PROPERTIES]
    properties += [(type_, f"{{{key}: {odd}}}") for type_, keys in PROPERTIES.items() for key in keys]
    for type_, within, keys in zip(PROPERTIES, WITHIN, INNER, strict=False):
        properties += [(type_, f"{{{within % (key, odd)}}}") for key in keys]
    yield from (f"Resources: {{a: {{Type: {type_}, Properties: {one}}}, {EFA}}}" for type_, one in properties)


def odd_hyperpod(odd: str) -> Iterator[str]:
    yield f"ClusterName: {odd}\nInstanceGroups: [{{InstanceGroupName: a}}]"
    for key in ("InstanceGroupName", "InstanceType", "LifeCycleConfig"):
        yield f"ClusterName: a\nInstanceGroups: [{{{key}: {odd}}}, {odd}]"
    for key in ("controller_group", "workload_manager", "fsx_dns_name", "login_group"):
        yield f"worker_groups: [{{instance_group_name: a, partition_name: b}}, {odd}]\n{key}: {odd}"


def odd_manifests(odd: str) -> Iterator[str]:
    yield from (f"apiVersion: v1\nkind: {odd}", f"apiVersion: v1\nkind: List\nitems: {odd}", f"items: [{odd}]")
    jobs = ("PyTorchJob", "MPIJob", "TrainJob", "JobSet", "DaemonSet")
    for text in (*(f"kind: {kind}\nspec: {odd}" for kind in jobs), f"kind: Pod\nspec: {{containers: [{odd}]}}"):
        yield f"apiVersion: v1\n{text}"
    for key in MANIFEST_POD:
        yield f"apiVersion: v1\nkind: Pod\nspec: {{containers: [{{{DEVICES}}}], {key}: {odd}}}"
    for key in MANIFEST_CONTAINER:
        devices = "" if key == "resources" else f"{DEVICES}, "
        yield f"apiVersion: v1\nkind: Pod\nspec: {{containers: [{{{devices}{key}: {odd}}}]}}"
    for key in ("numNodes", "resourcesPerNode", "env", "image"):
        yield f"apiVersion: v1\nkind: TrainJob\nspec: {{trainer: {{{key}: {odd}}}}}"


def odd_scripts(odd: str) -> Iterator[str]:
    yield odd


ODD_DOCUMENTS = {
    "cloudformation": odd_templates, "eksctl": odd_configs, "hyperpod": odd_hyperpod, "kubernetes": odd_manifests
}  # fmt: skip


@cache
def odd_documents(kind: DocumentKind, odd: str) -> list[Document]:
    texts = ODD_DOCUMENTS.get(kind, odd_scripts)(odd)
    return [read_yaml(text, "document.yaml", FUNCTIONS) for text in texts]


@each_case("odd", ODD)
@EACH_RULE
def test_a_rule_bears_whatever_stands_in_a_file(rule: DocumentRule, odd: str):
    for document in odd_documents(rule.kinds[0], odd):
        for problem in rule.check(document):
            assert problem.message
