"""A part of the time of a cluster, or some of its nodes: nothing else counts, and it is said what was left out."""

from __future__ import annotations

import json

import pytest

from tests.diagnose.cluster.planted import HEAD, NAME, NODE, OTHER, XID, event, put, with_stacks
from trainyard.api.diagnose import diagnose_cluster, diagnosis_values, line_filter
from trainyard.deploy.node_record_place import record_key
from trainyard.diagnose.report.sentences import not_asked

QUIET = [f"nothing happens {n}" for n in range(3)]
LOST = "error: Nodes gpu-st-p5-1 not responding, setting DOWN"
FULL = "Insufficient capacity: we currently do not have sufficient p5.48xlarge capacity in the Availability Zone"


@pytest.fixture
def diagnosed(account):
    """Return a function that diagnoses the cluster, for a period and nodes."""

    def run(since=None, until=None, *nodes, read_all=False, where=account, bucket=None):
        wanted = line_filter(since, until, nodes, account.clock.now())
        return diagnose_cluster(NAME, where, wanted, read_all=read_all, bucket=bucket)

    return run


def said(found) -> str:
    return "; ".join(not_asked(diagnosis_values(found)))


@pytest.mark.parametrize("read_all", [False, True])
def test_of_a_stream_only_the_lines_of_the_period_count(account, diagnosed, read_all):
    for minutes_ago in (120, 30, 20, 5):
        put(account, f"{NODE}.syslog", XID, minutes_ago=minutes_ago)
    found = diagnosed("1h", "10m", read_all=read_all)
    assert [(cause.cause.id, cause.count) for cause in found.causes] == [("gpu-fell-off-bus", 2)]


@pytest.mark.parametrize("read_all", [False, True])
def test_a_cause_before_the_period_is_not_claimed_and_its_log_is_named_as_left_out(account, diagnosed, read_all):
    put(account, f"{NODE}.syslog", XID, minutes_ago=120)
    put(account, f"{HEAD}.slurmctld", LOST, minutes_ago=30)
    whole, part = diagnosed(read_all=read_all), diagnosed("1h", read_all=read_all)
    assert whole.causes[0].cause.id == "gpu-fell-off-bus"
    seen = [one.cause.id for found in part.causes for one in (found, *found.consequences)]
    assert seen
    assert "gpu-fell-off-bus" not in seen
    assert "1 log of 2 without a line of that time" in said(part)


def test_a_period_in_which_nothing_was_logged_is_no_good_news(account, diagnosed):
    put(account, f"{NODE}.syslog", XID, minutes_ago=120)
    put(account, f"{OTHER}.syslog", *QUIET, minutes_ago=120)
    found = diagnosed("1h")
    assert (found.causes, found.not_asked.logs_by_period) == ((), 2)
    assert "none of 2 logs holds a line of that time" in said(found)


def test_the_period_is_said_also_where_something_was_found(account, diagnosed):
    put(account, f"{NODE}.syslog", XID, minutes_ago=30)
    values = diagnosis_values(diagnosed("1h", "1m"))
    left = values["not_asked"]
    assert values["causes"]
    assert not_asked(values)[0] == f"only lines from {left['since']} on and before {left['until']} count"


def test_events_of_a_stack_before_the_period_are_left_out_and_counted(account, diagnosed):
    stack = with_stacks(account, {NAME: [event(account, "Fleet", "CREATE_FAILED", FULL)]})
    put(account, f"{HEAD}.clustermgtd", *QUIET, minutes_ago=2)
    assert diagnosed(where=stack).causes[0].cause.id == "ec2-insufficient-capacity"
    found = diagnosed("5m", where=stack)
    assert (found.causes, found.not_asked.by_period) == ((), 1)
    assert "1 line that signatures know left out by the period" in said(found)


def test_events_of_a_stack_are_of_no_node_and_counted_where_a_node_is_asked_for(account, diagnosed):
    stack = with_stacks(account, {NAME: [event(account, "Fleet", "CREATE_FAILED", FULL)]})
    put(account, f"{NODE}.syslog", *QUIET)
    put(account, f"{OTHER}.syslog", XID)
    found = diagnosed(None, None, "ip-10-0-1-7", where=stack)
    assert (found.causes, found.not_asked.by_node, found.not_asked.logs_by_node) == ((), 1, 1)
    assert said(found).startswith("only lines of ip-10-0-1-7 count; 1 log of other nodes not looked at")


def test_a_node_is_not_taken_for_one_whose_name_begins_alike(account, diagnosed):
    bucket = _records(account, "ip-10-0-1-70", "i-0ddddddddddddddd4")
    put(account, f"{NODE}.syslog", *QUIET)
    found = diagnosed(None, None, "ip-10-0-1-7", bucket=bucket)
    assert (found.causes, found.not_asked.logs_by_node) == ((), 1)
    assert diagnosed(bucket=bucket).causes[0].cause.id == "trainyard-step-failed"


def test_the_record_of_a_node_is_found_by_the_name_that_slurm_gives_it(account, diagnosed):
    host, instance = NODE.split(".")
    bucket = _records(account, host, instance)
    put(account, f"{NODE}.syslog", *QUIET)
    put(account, f"{OTHER}.syslog", XID)
    account.client("dynamodb").create_table(
        TableName=f"parallelcluster-slurm-{NAME}",
        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    item = {"Id": {"S": "gpu-st-p5-1"}, "InstanceId": {"S": instance}}
    account.client("dynamodb").put_item(TableName=f"parallelcluster-slurm-{NAME}", Item=item)
    found = diagnosed(None, None, "gpu-st-p5-1", bucket=bucket)
    assert [cause.cause.id for cause in found.causes] == ["trainyard-step-failed"]


def test_the_most_unusual_lines_are_of_the_period_and_the_node_that_are_asked_for(account, diagnosed):
    put(account, f"{NODE}.syslog", "widget one failed", minutes_ago=120)
    put(account, f"{NODE}.syslog", "widget two failed", minutes_ago=30)
    put(account, f"{OTHER}.syslog", "gadget failed", minutes_ago=30)
    found = diagnosed("1h", None, "ip-10-0-1-7")
    assert [one.text.partition(" ")[2] for one in found.unrecognised] == ["widget two failed"]


def _records(account, host: str, instance: str) -> str:
    """Put the record of a node that failed into a bucket, and return that."""
    bucket, s3 = f"trainyard-{account.id}-{account.region}", account.client("s3")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account.region})
    step = {"name": "containers", "status": "failed", "required": True, "exit_status": 100, "message": "no package"}
    record = {"schema": 1, "instance_id": instance, "status": "failed", "steps": [step]}
    record |= {"hostname": host, "role": "compute-gpu", "message": "containers: no package"}
    key = record_key(account, NAME, instance)
    s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(record).encode())
    return bucket
