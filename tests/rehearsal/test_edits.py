"""Edits of a deployed spec: what goes is known and told before anything is touched, and data goes only by name."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from tests.rehearsal import cloud
from tests.rehearsal.account_copies import prepared_account, seeded_account
from tests.rehearsal.cloud import VPC
from tests.rehearsal.whole import counts, deployed, destroyed
from trainyard.deploy.deployment import DeploymentResult, work_for
from trainyard.deploy.plan.deployment_plan import DeploymentPlan, plan
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.finding import Finding
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SELF_HOSTING = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
access: {allow_from: [203.0.113.7/32]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
monitoring: {mode: self-hosting}
"""
MANAGED = SELF_HOSTING.replace("self-hosting", "amp-only")
NO_MONITORING = MANAGED.replace("amp-only", "none")
FILES = """\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
"""
NO_FILES = SELF_HOSTING.replace(FILES, "")


def refusal(done: DeploymentResult) -> str:
    (error,) = [result.error for result in done.results if result.error is not None]
    return f"{error.problem}; {error.hint}"


def deploy_into(account: Account, text: str) -> None:
    assert deployed(account, text).ok


def give_up(*names: str) -> Options:
    return Options(give_up=frozenset(names))


@pytest.mark.parametrize(
    ("before", "after", "resource", "words"),
    [
        (
            SELF_HOSTING,
            MANAGED,
            "MonitoringVolume",
            "left behind, and goes on costing: MonitoringVolume of stack shared",
        ),
        pytest.param(
            *(SELF_HOSTING, NO_MONITORING, "MonitoringVolume"),
            "EBS volume of 100 GiB with metrics and the database of Grafana",
            marks=pytest.mark.exhaustive,
        ),
        (SELF_HOSTING, NO_FILES, "Lustre", "left behind, and goes on costing: Lustre of stack shared-storage"),
        pytest.param(
            *(MANAGED, NO_MONITORING, "PrometheusWorkspace"),
            "left behind, and goes on costing: PrometheusWorkspace",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["self-hosting-to-managed", "self-hosting-to-none", "file-system-out", "workspace-out"],
)
def test_data_goes_only_by_its_name_and_nothing_is_left_over(before: str, after: str, resource: str, words: str):
    with seeded_account(before) as account:
        empty = counts(account)
    with prepared_account(before, deploy_into) as account:
        there = counts(account)
        done = deployed(account, after, give_up("AnotherResource"))
        assert words in refusal(done)
        assert f"--give-up {resource}" in refusal(done)
        assert counts(account) == there
        done = deployed(account, after, give_up(resource))
        assert done.ok, done
        again = deployed(account, after)
        assert again.ok
        left = [finding.id for finding in again.findings if finding.id == "data-left-behind"]
        assert left == ["data-left-behind"]
        assert again.review.changes == ()
        assert destroyed(account, after).ok
        assert counts(account) - empty == Counter()


def test_another_type_of_monitoring_instance_needs_no_consent_once_its_data_lies_on_a_volume():
    larger = SELF_HOSTING.replace("self-hosting", "self-hosting, instance_type: t3.large, volume_gib: 200")
    with prepared_account(SELF_HOSTING, deploy_into) as account:
        (before,) = monitoring_volumes(account)
        assert deployed(account, larger).ok
        (after,) = monitoring_volumes(account)
        assert (after["VolumeId"], after["Size"]) == (before["VolumeId"], 200)
        (instance,) = instances(account)
        assert instance["InstanceType"] == "t3.large"
        # One that has no volume yet, as earlier versions made it, keeps the metrics on its own disk.
        account.client("ec2").detach_volume(VolumeId=after["VolumeId"], InstanceId=instance["InstanceId"])
        assert "--give-up MonitoringInstance" in refusal(deployed(account, MANAGED, give_up("MonitoringVolume")))


@pytest.mark.exhaustive
def test_a_volume_that_was_kept_is_taken_over_by_the_next_deployment():
    with prepared_account(NO_FILES, deploy_into) as account:
        (kept,) = monitoring_volumes(account)
        assert destroyed(account, NO_FILES, delete_data=False).ok
        (left,) = monitoring_volumes(account)
        assert (left["VolumeId"], left["Attachments"]) == (kept["VolumeId"], [])
        assert [finding.id for finding in left_behind(deployed(account, NO_FILES))] == ["data-left-behind"]
        again = NO_FILES.replace("self-hosting", f"self-hosting, volume_id: {kept['VolumeId']}")
        done = deployed(account, again, give_up("MonitoringVolume"))
        assert done.ok
        # The one of the deployment in between is left now, and the one that was taken over is not.
        (finding,) = left_behind(deployed(account, again))
        assert kept["VolumeId"] not in finding.message
        assert destroyed(account, again).ok
        assert monitoring_volumes(account) == []


def left_behind(done: DeploymentResult) -> list[Finding]:
    assert done.ok
    return [finding for finding in done.findings if finding.id == "data-left-behind"]


def instances(account: Account) -> list[dict[str, Any]]:
    reservations = account.client("ec2").describe_instances(
        Filters=[{"Name": "tag:Name", "Values": ["shared-monitoring"]}]
    )["Reservations"]
    return [instance for reservation in reservations for instance in reservation["Instances"]]


def monitoring_volumes(account: Account) -> list[dict[str, Any]]:
    filters = [{"Name": "tag:Name", "Values": ["shared-monitoring-data"]}]
    return list(account.client("ec2").describe_volumes(Filters=filters)["Volumes"])


def test_a_file_system_only_becomes_larger():
    larger = MANAGED.replace("size_gib: 1200", "size_gib: 2400")
    with prepared_account(MANAGED, deploy_into) as account:
        done = deployed(account, larger)
        assert done.ok
        assert "StorageCapacity 1200 -> 2400" in " ".join(map(str, done.review.changes))
        said = refusal(deployed(account, MANAGED))
        assert "StorageCapacity 2400 -> 1200; nothing was touched; FSx makes file systems only larger" in said
        (file_system,) = account.client("fsx").describe_file_systems()["FileSystems"]
        assert file_system["StorageCapacity"] == 2400


def test_what_everything_stands_in_cannot_be_given_up():
    with prepared_account(MANAGED, deploy_into) as account:
        moved = deployed(account, MANAGED.replace("us-east-2a", "us-east-2c"), give_up("PrimaryPrivateSubnet"))
        assert "replaced by a new one: PrimaryPrivateSubnet of stack shared-network" in refusal(moved)
        assert "--give-up" not in refusal(moved)
        assert [result.name for result in moved.results] == ["bucket", "review"]


def test_what_clusters_use_of_an_environment_cannot_be_given_up():
    tags = {"trainyard:environment": "shared", "trainyard:cluster": "llm"}
    with prepared_account(MANAGED, deploy_into) as account:
        cloud.create(account, {"Vpc": VPC}, Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
        done = deployed(account, NO_MONITORING, give_up("PrometheusWorkspace"))
        assert "clusters use the environment: llm" in refusal(done)


def test_stacks_with_data_are_protected_until_they_are_destroyed():
    with prepared_account(MANAGED, deploy_into) as account:
        stacks = all_stacks(account)
        assert {stack.name: stack.is_protected for stack in stacks} == {
            "shared-network": True,
            "shared-storage": True,
            "shared-monitoring": True,
            "shared-rules": False,
        }
        code, message = cloud.refusal(account.client("cloudformation").delete_stack, StackName="shared-storage")
        assert (code, "TerminationProtection is enabled" in message) == ("ValidationError", True)
        assert destroyed(account, MANAGED).ok
        assert all_stacks(account) == []


def test_a_change_set_that_is_not_executed_does_not_stay():
    with prepared_account(SELF_HOSTING, deploy_into) as account:
        deployed(account, MANAGED)
        client = account.client("cloudformation")
        for stack in all_stacks(account):
            summaries = client.list_change_sets(StackName=stack.name)["Summaries"]
            assert [one for one in summaries if one["ExecutionStatus"] == "AVAILABLE"] == []


LINKED = MANAGED.replace("tib: 125", "tib: 125, data_repository: s3://ml-datasets/train")


def links(account: Account) -> list[tuple[str, str, list[str]]]:
    found = account.client("fsx").describe_data_repository_associations()["Associations"]
    return [(one["FileSystemPath"], one["DataRepositoryPath"], sorted(one["S3"])) for one in found]


def test_a_bucket_is_unlinked_and_another_one_linked_one_after_the_other():
    other = LINKED.replace("ml-datasets/train", "ml-datasets/test")
    with prepared_account(LINKED, deploy_into) as account:
        assert links(account) == [("/data", "s3://ml-datasets/train", ["AutoImportPolicy"])]
        assert "FSx links a directory to one bucket at a time" in refusal(deployed(account, other))
        done = deployed(account, MANAGED)
        assert done.ok
        assert [line.partition(" of ")[0] for line in done.review.lines()][-1] == "detached: LustreDataRepository"
        assert links(account) == []
        assert deployed(account, other).ok
        assert links(account) == [("/data", "s3://ml-datasets/test", ["AutoImportPolicy"])]
        assert len(account.client("fsx").describe_file_systems()["FileSystems"]) == 1


TWO_LINKS = "[{uri: s3://ml-datasets/train, path: /data}, {uri: s3://ml-datasets/more, path: /more}]"
SEVERAL = LINKED.replace("s3://ml-datasets/train", TWO_LINKS)


def test_a_second_bucket_is_linked_and_unlinked_beside_the_first():
    with prepared_account(LINKED, deploy_into) as account:
        ids = [one["AssociationId"] for one in associations(account)]
        assert deployed(account, SEVERAL).ok
        assert {one["FileSystemPath"] for one in associations(account)} == {"/data", "/more"}
        moved = SEVERAL.replace("path: /more", "path: /other")
        assert "FSx links a directory to one bucket at a time" in refusal(deployed(account, moved))
        assert deployed(account, LINKED).ok
        assert [one["AssociationId"] for one in associations(account)] == ids
        done = deployed(account, LINKED.replace("train}", "train, auto_export: [NEW, DELETED]}"))
        assert done.ok
        (told,) = (line for line in done.review.lines() if line.startswith("changed: LustreDataRepository "))
        assert "DELETED" in told
        (link,) = associations(account)
        assert (link["AssociationId"], link["S3"]["AutoExportPolicy"]) == (ids[0], {"Events": ["NEW", "DELETED"]})


def associations(account: Account) -> list[dict[str, Any]]:
    return list(account.client("fsx").describe_data_repository_associations()["Associations"])


def planned(account: Account, text: str) -> DeploymentPlan:
    spec = parse(text, "shared.yaml").spec
    return plan(spec, work_for(spec, account))


@pytest.mark.parametrize(
    ("before", "after"),
    [(SELF_HOSTING, MANAGED), pytest.param(MANAGED, SELF_HOSTING, marks=pytest.mark.exhaustive)],
)
def test_a_plan_tells_what_a_deployment_tells(before: str, after: str):
    with prepared_account(before, deploy_into) as account:
        there = counts(account)
        expected = planned(account, after)
        done = deployed(account, after)
        assert counts(account) == there
    assert expected.review is not None
    assert expected.review.changes == done.review.changes
    assert [str(refused) for refused in expected.refusals] == [str(result.error) for result in done.results[-1:]]


def test_a_plan_of_what_is_not_deployed_finds_no_changes():
    with seeded_account(SELF_HOSTING) as account:
        expected = planned(account, SELF_HOSTING)
    assert expected.review is not None
    assert (expected.review.changes, expected.refusals) == ((), ())
    assert {step.name for step in expected.steps if step.probe and step.probe.state == "there"} == {"mirror"}


def test_a_plan_says_what_aws_does_not_let_it_look_at():
    with prepared_account(MANAGED, deploy_into) as account:
        denied = {"Error": {"Code": "AccessDenied", "Message": "not you"}}
        client = account.client("cloudformation")
        client.meta.events.register(
            "before-call.cloudformation.CreateChangeSet",
            lambda **_: (SimpleNamespace(status_code=403), denied),
        )
        expected = planned(account, NO_MONITORING)
    assert expected.review is not None
    assert expected.refusals == ()
    assert "could not plan stack shared-network: not allowed" in expected.review.unclear[0]
