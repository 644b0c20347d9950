"""Why a cluster failed: from its stack, its nodes' records and its logs, the most telling first."""

from __future__ import annotations

import json

import pytest

from tests.diagnose.cluster.planted import (
    CANCELLED,
    DOWNLOAD,
    HEAD,
    NAME,
    NODE,
    OTHER,
    XID,
    event,
    put,
    refused,
    with_stacks,
)  # fmt: skip
from trainyard.api.diagnose import diagnose_cluster, line_filter
from trainyard.deploy.node_record_place import record_key
from trainyard.errors import InputError

QUIET = [f"2026-05-06 nothing happens {n}" for n in range(20)]


def looked_at(found) -> list[str]:
    return [one.name for one in found.unread]


def test_a_lost_gpu_in_the_system_log_of_one_node_is_found(account):
    put(account, f"{HEAD}.clustermgtd", *QUIET)
    put(account, f"{OTHER}.syslog", *QUIET)
    put(account, f"{NODE}.syslog", *QUIET, XID)
    diagnosis = diagnose_cluster(NAME, account)
    assert [cause.cause.id for cause in diagnosis.causes] == ["gpu-fell-off-bus"]
    assert diagnosis.causes[0].evidence[0].file == f"{NODE}.syslog"
    assert diagnosis.causes[0].evidence[0].line == 21
    assert diagnosis.causes[0].by_node == {"ip-10-0-1-7": 1}


def test_the_telling_logs_are_read_first_and_no_others_once_the_cause_is_certain(account):
    put(account, f"{NODE}.compute_console_output", XID)
    for n in range(3):
        put(account, f"ip-10-0-2-{n}.i-0dddddddddddddd{n:02}.syslog", *QUIET)
    diagnosis = diagnose_cluster(NAME, account)
    assert diagnosis.causes[0].cause.id == "gpu-fell-off-bus"
    assert diagnosis.files == 1
    assert looked_at(diagnosis) == ["3 other streams of /aws/parallelcluster/llm-202605061300"]
    assert "--all" in diagnosis.unread[0].why
    everything = diagnose_cluster(NAME, account, read_all=True)
    assert (everything.files, looked_at(everything)) == (4, [])
    assert everything.causes[0].cause.id == "gpu-fell-off-bus"


def test_what_a_stack_only_cancelled_is_put_down_to_the_node_that_failed(account):
    put(account, f"{HEAD}.bootstrap_error_msg", DOWNLOAD, minutes_ago=20)
    events = [event(account, "FleetSecurityGroup", "CREATE_FAILED", CANCELLED)]
    diagnosis = diagnose_cluster(NAME, with_stacks(account, {NAME: events}))
    assert diagnosis.causes[0].cause.id == "custom-action-download-failed"
    assert "stack-resource-cancelled" in [consequence.cause.id for consequence in diagnosis.causes[0].consequences]


def test_the_events_of_a_stack_within_the_stack_are_read_where_it_failed(account):
    type_, inner = "AWS::CloudFormation::Stack", "arn:aws:cloudformation:us-east-2:123456789012:stack/inner/1"
    refused = "API: iam:CreateRole User: arn:aws:iam::123456789012:user/me is not authorized to perform: iam:CreateRole"
    events = {
        NAME: [event(account, "Inner", "CREATE_FAILED", "failed", ResourceType=type_, PhysicalResourceId=inner)],
        inner: [event(account, "Role", "CREATE_FAILED", refused, StackName="inner", ResourceType="AWS::IAM::Role")],
    }
    diagnosis = diagnose_cluster(NAME, with_stacks(account, events))
    assert diagnosis.causes[0].cause.id == "iam-permission-missing"
    assert diagnosis.causes[0].evidence[0].file == "inner-cfn-events"


def test_a_step_that_failed_on_a_node_is_known_from_its_record(account):
    bucket, s3 = f"trainyard-{account.id}-{account.region}", account.client("s3")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account.region})
    step = {"name": "containers", "status": "failed", "required": True, "exit_status": 100, "message": "no package"}
    record = {"schema": 1, "instance_id": "i-0bbbbbbbbbbbbbbb2", "status": "failed", "steps": [step]}
    record |= {"hostname": "ip-10-0-1-7", "role": "compute-gpu", "message": "containers: no package"}
    key = record_key(account, NAME, "i-0bbbbbbbbbbbbbbb2")
    s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(record).encode())
    diagnosis = diagnose_cluster(NAME, account, bucket=bucket)
    assert [cause.cause.id for cause in diagnosis.causes] == ["trainyard-step-failed"]
    assert diagnosis.causes[0].evidence[0].file == "bootstrap-records/ip-10-0-1-7.i-0bbbbbbbbbbbbbbb2.syslog"
    assert diagnosis.causes[0].by_node == {"ip-10-0-1-7": 1}


def test_a_healthy_cluster_has_no_causes(account):
    put(account, f"{HEAD}.clustermgtd", *QUIET)
    diagnosis = diagnose_cluster(NAME, account)
    assert (diagnosis.causes, diagnosis.files) == ((), 1)


def test_one_node_or_a_part_of_time_can_be_asked_for(account):
    put(account, f"{NODE}.syslog", XID, minutes_ago=120)
    put(account, f"{OTHER}.syslog", *QUIET)
    now = account.clock.now()
    assert diagnose_cluster(NAME, account, line_filter(None, None, ("ip-10-0-1-8",), now)).causes == ()
    assert diagnose_cluster(NAME, account, line_filter("1h", None, (), now)).causes == ()
    assert diagnose_cluster(NAME, account, line_filter("3h", "1h", ("ip-10-0-1-7",), now)).causes != ()


def test_of_a_long_stream_the_end_is_read_and_the_rest_is_named(account):
    for _ in range(5):
        put(account, f"{NODE}.syslog", *["x" * 400] * 2500)
    put(account, f"{NODE}.syslog", XID, minutes_ago=1)
    diagnosis = diagnose_cluster(NAME, account)
    assert diagnosis.causes[0].cause.id == "gpu-fell-off-bus"
    if looked_at(diagnosis):
        assert looked_at(diagnosis) == [f"{NODE}.syslog"]


def test_a_cluster_that_is_not_there_is_one_clear_error(account):
    with pytest.raises(InputError, match="nothing of a cluster nowhere in us-east-2 can be read") as failed:
        diagnose_cluster("nowhere", account)
    assert "--region" in (failed.value.hint or "")


def test_what_may_not_be_read_is_named_and_the_rest_is_diagnosed(account):
    put(account, f"{NODE}.syslog", XID)
    diagnosis = diagnose_cluster(NAME, refused(account, "logs"))
    assert diagnosis.causes[0].cause.id == "gpu-fell-off-bus"
    parts = ["the events of its stacks", "its state in AWS Batch", "what its nodes recorded"]
    assert looked_at(diagnosis) == parts


def test_where_nothing_may_be_read_it_is_one_clear_error(account):
    put(account, f"{NODE}.syslog", XID)
    with pytest.raises(InputError, match=r"nothing of a cluster llm .* can be read: .*not allowed") as failed:
        diagnose_cluster(NAME, refused(account))
    assert "\n" not in failed.value.problem
