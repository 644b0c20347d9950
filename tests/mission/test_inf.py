"""Network, stacks and buckets."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
import yaml

from tests.mission.subject import ROOT, SELF_HOSTING, cluster, document, files, page, queue, resources, spec
from tests.rehearsal import cloud
from tests.rehearsal.account_copies import empty_account
from trainyard.edge.aws import s3
from trainyard.render.stand_ins import stack_of

TEMPLATES = ("network.yaml", "storage.yaml", "monitoring.yaml")
MODES = {"none": (), "amp-only": (), "amp+amg": (), "self-hosting": SELF_HOSTING[1:]}


def test_inf_1_a_vpc_in_one_zone_exports_what_batch_imports():
    text = (ROOT / "src/trainyard/render/cloudformation/vpc-one-az.yaml").read_text(encoding="utf-8")
    exports = [output["Export"]["Name"] for output in yaml.safe_load(text)["Outputs"].values()]
    assert {"PrivateSubnet", "SecurityGroup"} <= {name["Fn::Sub"].rpartition("-")[2] for name in exports}
    assert "${VPCStackParameter}-PrivateSubnet" in files("batch-p4d")["batch.yaml"]


def test_inf_2_the_documented_parameters_are_those_of_the_stacks():
    names = [
        name
        for name in files("p5en-monitoring", *SELF_HOSTING)
        if name in ("network.yaml", "storage.yaml", "monitoring.yaml")
    ]
    parameters = {key for name in names for key in document("p5en-monitoring", name, *SELF_HOSTING)["Parameters"]}
    assert {
        "VPCName", "PrimarySubnetAZ", "SecondarySubnetAZ", "MonitoringType", "S3BucketName", "MonitoringKeyPair",
        "SSLCertificateArn", "CreateS3Endpoint", "Capacity", "PerUnitStorageThroughput", "Compression", "LustreVersion",
    } <= parameters  # fmt: skip


def test_inf_3_network_and_file_system_are_made():
    network = document("p5en-monitoring", "network.yaml")
    for kind, least in (("VPC", 1), ("InternetGateway", 1), ("NatGateway", 1), ("Subnet", 3), ("SecurityGroup", 4)):
        assert len(resources(network, f"AWS::EC2::{kind}")) >= least, kind
    assert resources(document("p5en-monitoring", "storage.yaml"), "AWS::FSx::FileSystem")


def test_inf_4_outputs_have_the_documented_names():
    bundle = [
        document("p5en-monitoring", name, *SELF_HOSTING) for name in ("network.yaml", "storage.yaml", "monitoring.yaml")
    ]
    outputs = {name for template in bundle for name in template["Outputs"]}
    assert {
        "AMPWorkspaceId", "AMPPrometheusEndpoint", "GrafanaAccessInstructions", "ManagedGrafanaWorkspaceEndpoint",
        "ALBDNSName", "PrimaryPrivateSubnet", "PublicSubnet", "HeadNodeSecurityGroup", "FSxLustreFilesystemId",
        "AMPRemoteWritePolicyArn", "AMPQueryPolicyArn",
    } <= outputs  # fmt: skip
    assert stack_of("FSxORootVolumeId") == "storage"


def test_inf_5_each_mode_is_made_by_hand_with_the_time_that_it_takes():
    for mode, more in MODES.items():
        readme = files("p5en-monitoring", f"monitoring.mode={mode}", *more)["README.md"]
        assert "cloudformation create-stack" in readme
        assert "wait stack-create-complete" in readme
        assert "minutes" in readme


def quick_create(name: str) -> dict[str, str]:
    """Return what the link of a page fills in the form of the console."""
    (link,) = re.findall(r"`https://console\.aws\.amazon\.com/\S+#/stacks/quickcreate\?(.*?)`", page(name))
    return dict(parse_qsl(link, strict_parsing=True))


@pytest.mark.integration
@pytest.mark.enable_socket
def test_inf_6_quick_create_links_are_there_for_batch_and_for_the_observability_stack():
    assert quick_create("batch.md") == {"templateURL": "URL", "stackName": "AWS-Batch"}
    assert document("batch-p4d", "batch.yaml")["Parameters"]
    filled = quick_create("monitoring.md")
    written = {key.removeprefix("param_"): value for key, value in filled.items() if key.startswith("param_")}
    assert {*filled} == {"templateURL", "stackName", *(f"param_{key}" for key in written)}
    with empty_account() as account:
        bucket = s3.own_bucket(account)
        s3.make_bucket(account, bucket)
        body = files("p5en-monitoring", "monitoring.mode=amp-only")["monitoring.yaml"].encode()
        account.client("s3").put_object(Bucket=bucket, Key="monitoring.yaml", Body=body)
        account.client("cloudformation").create_stack(
            StackName=filled["stackName"],
            TemplateURL=f"https://{bucket}.s3.{account.region}.amazonaws.com/monitoring.yaml",
            Parameters=cloud.parameters(written | {"ClusterName": "llm"}),
            Capabilities=["CAPABILITY_NAMED_IAM"],
        )
        stack = cloud.settled(account, filled["stackName"])
        assert stack["StackStatus"] == "CREATE_COMPLETE", cloud.events(account, stack)
        assert {"AMPPrometheusEndpoint", "AMPRemoteWritePolicyArn"} <= set(cloud.outputs(stack))


def test_inf_7_login_nodes_are_public_and_the_others_private():
    written = cluster("p5en-monitoring")
    head, compute = written["HeadNode"]["Networking"]["SubnetId"], queue("p5en-monitoring")["Networking"]["SubnetIds"]
    (login,) = written["LoginNodes"]["Pools"][0]["Networking"]["SubnetIds"]
    assert compute == [head]
    assert login != head


def test_inf_8_the_bucket_for_nodes_is_made_and_filled():
    readme = files("p5en-monitoring")["README.md"]
    assert "s3api create-bucket" in readme
    assert "s3api put-object" in readme
    assert "put-public-access-block" in readme


def test_inf_9_a_bucket_that_is_there_is_linked_to_lustre():
    storage = document("p5-observability", "storage.yaml")
    assert resources(storage, "AWS::FSx::DataRepositoryAssociation")
    assert spec("p5-observability").file_systems[0].lustre is not None
