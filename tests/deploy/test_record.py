"""What the bucket remembers of a cluster."""

from __future__ import annotations

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard import __version__
from trainyard.deploy.record import Deployment, key, new_record, read_record, record_at_stage, write_record
from trainyard.edge.aws import s3
from trainyard.errors import TrainyardError

QUEUES = "queues: [{name: q, instance_type: m5.large}]\n"
RECORD = Deployment("llm", "us-east-2", "deploying", "0.0.1", "3.16.1", "name: llm\n# é\n", None, "")


def test_what_was_written_is_read(account):
    write_record(account, BUCKET, RECORD)
    assert read_record(account, BUCKET, "llm") == RECORD


def test_of_a_cluster_that_was_never_deployed_nothing_is_remembered(account):
    assert read_record(account, BUCKET, "llm") is None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (f"platform: parallelcluster\n{QUEUES}parallelcluster: {{version: 3.15.1}}", "3.15.1"),
        (f"platform: batch\n{QUEUES}", None),
        (f"platform: eks\n{QUEUES}", None),
        ("kind: environment\nnetwork: {availability_zone: us-east-2a}", None),
    ],
)
def test_a_version_of_parallelcluster_is_remembered_only_where_it_makes_the_cluster(account, text, version):
    record = new_record(spec_of(text), text, None)
    assert record.parallelcluster_version == version
    write_record(account, BUCKET, record)
    assert read_record(account, BUCKET, record.name) == record


def test_a_deployment_goes_on_with_what_is_remembered_of_the_former_one():
    former = RECORD._replace(cluster_config="Region: us-east-2\n", fleet_stopped=True)
    record = new_record(spec_of(f"platform: parallelcluster\n{QUEUES}"), "", former)
    assert (record.cluster_config, record.fleet_stopped) == (former.cluster_config, True)


def test_another_stage_begins_now_and_is_of_this_version(account):
    later = record_at_stage(RECORD, "deployed", account)
    assert (later.stage, later.trainyard_version) == ("deployed", __version__)
    assert later.since == "2027-01-15T08:00:00+00:00"


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"name": "llm"}', b"\xff"])
def test_what_cannot_be_read_is_an_error_that_says_where(account, content):
    s3.put(account, BUCKET, key("llm"), content)
    with pytest.raises(TrainyardError, match="what is remembered of llm cannot be read") as caught:
        read_record(account, BUCKET, "llm")
    assert caught.value.where == f"s3://{BUCKET}/trainyard/llm/deployment.json"
