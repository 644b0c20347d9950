"""Where records lie, and which of two counts."""

from __future__ import annotations

import json

import pytest

from tests.deploy.conftest import BUCKET
from tests.operate.nodes.planted import record
from trainyard.deploy.node_record_place import former_folder, record_key, record_of, records_folder
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account

ID = "i-0a1b2c3d4e5f60718"
OTHER = "i-0ffffffffffffffff"


def put(work: Work, key: str, instance_id: str, message: str) -> None:
    s3.put(work.account, BUCKET, key, json.dumps(record(instance_id, message=message)).encode())


@pytest.mark.parametrize(
    ("region", "partition"), [("us-east-2", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn")]
)
def test_the_place_is_the_arn_that_the_instance_itself_makes(work: Work, region: str, partition: str):
    account = Account(region, credentials=work.account.credentials)
    vars(account)["id"] = "123456789012"
    place = f"trainyard/llm/nodes/arn:{partition}:ec2:{region}:123456789012:instance/{ID}"
    assert record_key(account, "llm", ID) == f"{place}.json"


def test_a_record_of_an_older_release_counts_where_there_is_no_other(work: Work):
    assert record_of(work.account, BUCKET, "llm", ID) is None
    put(work, f"{former_folder('llm')}/{ID}.json", ID, "from before")
    former = record_of(work.account, BUCKET, "llm", ID)
    assert former is not None
    assert former.record is not None
    assert (former.former, former.record.message) == (True, "from before")
    put(work, record_key(work.account, "llm", ID), ID, "its own")
    own = record_of(work.account, BUCKET, "llm", ID)
    assert own is not None
    assert own.record is not None
    assert (own.former, own.record.message) == (False, "its own")


def test_a_record_of_another_instance_is_none(work: Work):
    put(work, f"{records_folder(work.account, 'llm')}/{ID}.json", OTHER, "forged")
    stored = record_of(work.account, BUCKET, "llm", ID)
    assert stored is not None
    assert (stored.record, stored.problem) == (None, f"it is about instance {OTHER}")
