"""Dashboards in CloudWatch: made, kept as they should be, and removed, without touching what people did."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.edge.aws.in_memory import account_in_memory
from tests.specs import spec_of
from trainyard.deploy.deployment import steps_to_deploy, steps_to_destroy
from trainyard.deploy.release_notice import kinds
from trainyard.deploy.requirements.permissions import needed_actions, parts
from trainyard.deploy.steps.cloudwatch_dashboards import CloudWatchDashboards
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cloudwatch_dashboards import delete_dashboard, find_dashboard, put_dashboard
from trainyard.edge.aws.nodes import nodes
from trainyard.errors import TrainyardError
from trainyard.render.tags import ENVIRONMENT
from trainyard.spec.parsing import parse

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 1}}]
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}
  - {mount: /old, lustre: {id: fs-0123456789abcdef0}}
monitoring: {cloudwatch_metrics: [slurm]}
"""
NAMES = ["ParallelCluster-llm", "ParallelCluster-llm-Advanced", "ParallelCluster-llm-EFA"]
LOG_GROUP = "/aws/parallelcluster/llm-202611211200"
# One of those that moto has in every region.
IMAGE = "ami-03cf127a"
STEP = CloudWatchDashboards()


@pytest.fixture(scope="module")
def clusters() -> Iterator[Account]:
    """An account with clusters: one that is whole, one without logs. To make them takes longer than all else here."""
    with account_in_memory() as account:
        for name, parameters in {
            "llm": {"ClusterCWLogGroup": {"Type": "String", "Default": LOG_GROUP}},
            "mute": {},
        }.items():
            head_node(account, name)
            template = {"Parameters": parameters, "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
            account.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))
        yield account


def head_node(account: Account, cluster: str) -> None:
    tags = {"parallelcluster:cluster-name": cluster, "parallelcluster:node-type": "HeadNode"}
    marks = [{"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]
    settings = {"ImageId": IMAGE, "InstanceType": "m5.large", "MinCount": 1, "MaxCount": 1}
    account.client("ec2").run_instances(**settings, TagSpecifications=marks)


@pytest.fixture
def deployed(clusters: Account) -> Iterator[Work]:
    """A deployment whose cluster is there, without dashboards."""
    yield of_cluster(clusters, "llm")
    for dashboard_entry in clusters.client("cloudwatch").list_dashboards()["DashboardEntries"]:
        delete_dashboard(clusters, dashboard_entry["DashboardName"])


def of_cluster(account: Account, name: str, text: str = SPEC) -> Work:
    spec = parse(text.replace("name: llm", f"name: {name}"), "cluster.yaml").spec
    return Work(account, name, spec, "ml-bucket", outputs={"FSxLustreFilesystemId": "fs-0a1b2c3d4e5f60718"})


def there(work: Work) -> dict[str, Any]:
    """Return the dashboards that the account has."""
    listed = work.account.client("cloudwatch").list_dashboards()["DashboardEntries"]
    names = [one["DashboardName"] for one in listed]
    return {name: find_dashboard(work.account, name) for name in sorted(names)}


def edit(work: Work, name: str = NAMES[0]) -> Any:
    """Edit a dashboard as somebody in the console does, and return what it is then."""
    found = find_dashboard(work.account, name)
    found["widgets"][1]["properties"]["title"] = "My CPU"
    put_dashboard(work.account, name, found)
    return found


def test_the_dashboards_are_made_with_the_ids_of_the_account(deployed: Work):
    assert STEP.probe(deployed).state == "missing"
    outcome = STEP.apply(deployed)
    assert (outcome.changed, outcome.detail) == (True, ", ".join(f"{name} written" for name in NAMES))
    assert list(there(deployed)) == NAMES
    running = nodes(deployed.account, "llm")[0].id
    text = json.dumps(there(deployed)[NAMES[0]])
    assert all(one in text for one in (running, LOG_GROUP, "fs-0a1b2c3d4e5f60718", "fs-0123456789abcdef0"))
    assert STEP.probe(deployed) == ("there", ", ".join(NAMES))


def test_a_second_time_nothing_changes(deployed: Work):
    STEP.apply(deployed)
    before = there(deployed)
    assert not STEP.apply(deployed).changed
    assert there(deployed) == before
    assert deployed.findings == []


def test_what_is_missing_is_made_again(deployed: Work):
    STEP.apply(deployed)
    delete_dashboard(deployed.account, NAMES[1])
    assert STEP.probe(deployed) == ("missing", NAMES[1])
    assert STEP.apply(deployed).detail == f"{NAMES[1]} written"


def test_a_dashboard_follows_the_spec_as_long_as_nobody_edits_it(deployed: Work):
    STEP.apply(deployed)
    changed = replace(deployed, spec=parse(SPEC.replace("[slurm]", "[slurm, gpu]"), "cluster.yaml").spec)
    assert STEP.apply(changed).detail == f"{NAMES[1]} written"
    assert "GPUUtilization" in json.dumps(there(deployed)[NAMES[1]])


def test_a_dashboard_that_was_edited_by_hand_is_kept_and_the_difference_shown(deployed: Work):
    STEP.apply(deployed)
    found = edit(deployed)
    assert not STEP.apply(deployed).changed
    assert there(deployed)[NAMES[0]] == found
    (finding,) = deployed.findings
    assert (finding.id, finding.severity, finding.path) == ("dashboard-edited", "warning", "monitoring.dashboard")
    assert finding.message == (
        "dashboard ParallelCluster-llm was edited by hand and stays so: 'My CPU' added, 'CPU of the head node' removed"
    )
    assert "--overwrite-dashboards" in str(finding.remedy)


def test_many_differences_are_counted(deployed: Work):
    STEP.apply(deployed)
    found = find_dashboard(deployed.account, NAMES[0])
    put_dashboard(deployed.account, NAMES[0], {"widgets": found["widgets"][:1]})
    STEP.apply(deployed)
    assert deployed.findings[0].message.endswith(" more")


def test_an_edited_dashboard_is_overwritten_where_that_is_asked_for(deployed: Work):
    STEP.apply(deployed)
    before = there(deployed)
    edit(deployed)
    asked = replace(deployed, options=Options(overwrite_dashboards=True))
    assert STEP.apply(asked).detail == f"{NAMES[0]} written"
    assert there(deployed) == before
    assert asked.findings == []


def test_a_dashboard_that_was_put_there_by_hand_as_it_is_becomes_ours(deployed: Work):
    STEP.apply(deployed)
    before = there(deployed)
    text = json.dumps(before[NAMES[2]])
    digest = text[text.index("sha256:") :][:71]
    put_dashboard(deployed.account, NAMES[2], json.loads(text.replace(digest, f"sha256:{'a' * 64}")))
    assert STEP.apply(deployed).detail == f"{NAMES[2]} written"
    assert there(deployed) == before


@pytest.mark.parametrize("options", [Options(), Options(overwrite_dashboards=True)])
def test_a_dashboard_of_somebody_else_is_never_touched(deployed: Work, options: Options):
    foreign = {"widgets": [{"type": "text", "properties": {"markdown": "mine"}}]}
    put_dashboard(deployed.account, NAMES[0], foreign)
    work = replace(deployed, options=options)
    assert STEP.apply(work).detail == f"{NAMES[1]} written, {NAMES[2]} written"
    assert there(work)[NAMES[0]] == foreign
    assert [(finding.id, finding.message) for finding in work.findings] == [
        ("dashboard-not-ours", "dashboard ParallelCluster-llm stays as it is: trainyard did not make it")
    ]
    STEP.undo(replace(work, options=Options(delete_data=True)))
    assert there(work) == {NAMES[0]: foreign}


def test_a_cluster_of_the_same_name_in_another_region_is_somebody_else(deployed: Work):
    STEP.apply(deployed)
    text = json.dumps(find_dashboard(deployed.account, NAMES[0]))
    put_dashboard(deployed.account, NAMES[0], json.loads(text.replace("trainyard/us-east-2/", "trainyard/eu-west-1/")))
    assert not STEP.apply(deployed).changed
    assert "it is of cluster llm in eu-west-1" in deployed.findings[0].message
    STEP.undo(deployed)
    assert list(there(deployed)) == [NAMES[0]]


def test_a_body_that_is_no_json_of_a_dashboard_is_somebody_elses(deployed: Work):
    deployed.account.client("cloudwatch").put_dashboard(DashboardName=NAMES[0], DashboardBody='"text"')
    STEP.apply(deployed)
    assert [finding.id for finding in deployed.findings] == ["dashboard-not-ours"]


def test_they_go_with_the_cluster(deployed: Work):
    STEP.apply(deployed)
    destroying = replace(deployed, spec=None)
    assert STEP.undo(destroying).detail == ", ".join(f"{name} deleted" for name in NAMES)
    assert there(deployed) == {}
    assert STEP.undo(destroying).detail == "there is none"


def test_a_destruction_keeps_what_was_edited_and_names_it(deployed: Work):
    STEP.apply(deployed)
    edit(deployed)
    STEP.undo(deployed)
    assert list(there(deployed)) == [NAMES[0]]
    assert deployed.kept == ["dashboard ParallelCluster-llm in CloudWatch, which was edited by hand"]


def test_a_destruction_of_everything_takes_what_was_edited_too(deployed: Work):
    STEP.apply(deployed)
    edit(deployed)
    STEP.undo(replace(deployed, options=Options(delete_data=True)))
    assert there(deployed) == {}


def test_the_destruction_of_an_environment_leaves_the_dashboards_of_a_cluster_of_its_name(deployed: Work):
    STEP.apply(deployed)
    assert not STEP.undo(replace(deployed, tag=ENVIRONMENT)).changed
    assert list(there(deployed)) == NAMES


def test_without_a_head_node_it_says_so(clusters: Account):
    with pytest.raises(TrainyardError, match="cluster headless has no head node"):
        STEP.apply(of_cluster(clusters, "headless"))


def test_without_a_log_group_it_says_what_to_do(clusters: Account):
    with pytest.raises(TrainyardError, match="keeps no logs in CloudWatch") as refusal:
        STEP.apply(of_cluster(clusters, "mute"))
    assert refusal.value.where == "monitoring.logs"


def test_without_logs_no_log_group_is_looked_for(clusters: Account):
    text = SPEC.replace("monitoring: {cloudwatch_metrics: [slurm]}", "monitoring: {logs: false, alarms: false}")
    assert STEP.apply(of_cluster(clusters, "mute", text)).changed
    assert STEP.undo(of_cluster(clusters, "mute", text)).changed


def test_a_file_system_that_no_stack_gave_is_named(deployed: Work):
    with pytest.raises(TrainyardError, match="nothing says what FSxLustreFilesystemId is"):
        STEP.apply(replace(deployed, outputs={}))


OPENZFS = """\
file_systems:
  - {mount: /home, openzfs: {size_gib: 512}}
  - {mount: /own, openzfs: {id: fsvol-0123456789abcdef0}}
  - {mount: /more, openzfs: {size_gib: 512}}
"""


def test_volumes_of_openzfs_are_shown_by_the_file_systems_that_hold_them(
    deployed: Work, monkeypatch: pytest.MonkeyPatch
):
    text = SPEC[: SPEC.index("file_systems")] + OPENZFS
    volumes = {"FSxORootVolumeId": "fsvol-0aaa", "FSxORootVolumeId2": "fsvol-0bbb"}
    work = replace(deployed, spec=parse(text, "cluster.yaml").spec, outputs=volumes)

    def describe(VolumeIds: list[str]) -> dict[str, Any]:  # noqa: N803  as boto3 has it
        return {"Volumes": [{"FileSystemId": VolumeIds[0].replace("fsvol", "fs")}]}

    monkeypatch.setattr(deployed.account.client("fsx"), "describe_volumes", describe)
    STEP.apply(work)
    found = re.findall(r'"FileSystemId", "(fs-\w+)"', json.dumps(there(work)[NAMES[0]]))
    assert list(dict.fromkeys(found)) == ["fs-0aaa", "fs-0123456789abcdef0", "fs-0bbb"]


def test_a_volume_that_is_gone_is_named(deployed: Work, monkeypatch: pytest.MonkeyPatch):
    text = SPEC[: SPEC.index("file_systems")] + OPENZFS
    work = replace(deployed, spec=parse(text, "cluster.yaml").spec, outputs={"FSxORootVolumeId": "fsvol-0aaa"})
    monkeypatch.setattr(deployed.account.client("fsx"), "describe_volumes", lambda **_: {"Volumes": []})
    with pytest.raises(TrainyardError, match="there is no volume fsvol-0aaa"):
        STEP.apply(work)


def test_what_cloudwatch_says_of_a_body_is_told(deployed: Work, monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    message = {"DataPath": "/widgets/1", "Message": "should NOT have additional properties"}
    client = deployed.account.client("cloudwatch")
    monkeypatch.setattr(client, "put_dashboard", lambda **_: {"DashboardValidationMessages": [message]})
    STEP.apply(replace(deployed, listener=lambda event: said.append(event.text)))
    assert said[0] == "CloudWatch says of ParallelCluster-llm: /widgets/1: should NOT have additional properties"


@pytest.mark.parametrize(
    ("call", "doing"),
    [
        ("get_dashboard", "could not look at dashboard ParallelCluster-llm"),
        ("put_dashboard", "could not write dashboard ParallelCluster-llm"),
        ("delete_dashboards", "could not delete dashboard ParallelCluster-llm"),
    ],
)
def test_what_aws_refuses_is_one_clear_line(deployed: Work, monkeypatch: pytest.MonkeyPatch, call: str, doing: str):
    if call == "delete_dashboards":
        STEP.apply(deployed)

    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "not authorized"}}, call)

    monkeypatch.setattr(deployed.account.client("cloudwatch"), call, refuse)
    with pytest.raises(TrainyardError, match=doing):
        (STEP.undo if call == "delete_dashboards" else STEP.apply)(deployed)


def test_a_dashboard_that_somebody_deletes_meanwhile_is_no_error(deployed: Work):
    delete_dashboard(deployed.account, NAMES[0])


def test_they_are_made_after_the_cluster_and_removed_before_it():
    made = [step.name for step in steps_to_deploy(parse(SPEC, "cluster.yaml").spec)]
    known = [step.name for step in steps_to_destroy()]
    assert made.index("cluster") < made.index(STEP.name)
    assert known.index("cluster") < known.index(STEP.name)


def test_who_wants_no_dashboard_has_no_such_step():
    spec = parse(SPEC.replace("{cloudwatch_metrics: [slurm]}", "{dashboard: false}"), "cluster.yaml").spec
    assert STEP.name not in [step.name for step in steps_to_deploy(spec)]


def test_both_findings_say_what_to_do():
    assert all(kinds()[one].remedy for one in ("dashboard-edited", "dashboard-not-ours"))


@pytest.mark.parametrize(
    ("part", "actions"),
    [
        ("", {"cloudwatch:DeleteDashboards", "cloudwatch:PutDashboard", "ec2:DescribeInstances"}),
        ("monitoring: {dashboard: false}", {"ec2:DescribeInstances"}),
        (
            "file_systems: [{mount: /home, openzfs: {id: fsvol-0123456789abcdef0}}]",
            {"cloudwatch:DeleteDashboards", "cloudwatch:PutDashboard", "ec2:DescribeInstances", "fsx:DescribeVolumes"},
        ),
    ],
)
def test_whoever_deploys_them_has_to_be_allowed_to(part: str, actions: set[str]):
    asked = {*parts()["dashboards"]["actions"], *parts()["dashboards-openzfs"]["actions"]}
    always = {"cloudwatch:PutDashboard"} if "false" in part else set()  # for ParallelCluster's own
    assert asked & set(needed_actions(spec_of(part))) == actions | always
    assert "cloudwatch:GetDashboard" in needed_actions(spec_of(part))
