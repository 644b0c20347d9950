"""Objects that are written only where nobody else has written, and buckets of our own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError

BUCKET = "ml-bucket"


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        yield made


def test_the_own_bucket_is_named_after_account_and_region(account):
    assert s3.own_bucket(account) == f"trainyard-{account.id}-us-east-2"


def test_a_made_bucket_is_closed_and_encrypted(account):
    client = account.client("s3")
    closed = client.get_public_access_block(Bucket=BUCKET)["PublicAccessBlockConfiguration"]
    rules = client.get_bucket_encryption(Bucket=BUCKET)["ServerSideEncryptionConfiguration"]["Rules"]
    assert all(closed.values())
    assert rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "AES256"


def test_the_parts_of_uploads_that_never_ended_are_removed(account):
    (rule,) = account.client("s3").get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"]
    assert (rule["Status"], rule["Filter"]["Prefix"]) == ("Enabled", "trainyard/")
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 7}
    assert "Expiration" not in rule


def test_lifecycle_rules_of_others_stay(account):
    client = account.client("s3")
    own = {"ID": "own", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 30}}
    client.put_bucket_lifecycle_configuration(Bucket=BUCKET, LifecycleConfiguration={"Rules": [own]})
    s3.make_bucket(account, BUCKET)
    assert [rule["ID"] for rule in client.get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"]] == ["own"]


@pytest.mark.parametrize("region", ["us-east-1", "us-east-2", "ap-northeast-1"])
def test_a_bucket_is_made_in_the_region_of_the_account_also_twice(region):
    with account_in_memory(region) as account:
        s3.make_bucket(account, BUCKET)
        s3.make_bucket(account, BUCKET)
        assert s3.bucket_problem(account, BUCKET) is None


def test_a_bucket_that_nobody_has_is_missing(account):
    assert s3.bucket_problem(account, "nobody-has-this") == "missing"


def test_a_bucket_in_another_region_cannot_be_used(account):
    account.client("s3", "eu-west-1").create_bucket(
        Bucket="elsewhere", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    assert "eu-west-1" in (s3.bucket_problem(account, "elsewhere") or "")


def test_what_was_put_is_got(account):
    s3.put(account, BUCKET, "a/b", b"content")
    object_ = s3.get(account, BUCKET, "a/b")
    assert object_ is not None
    assert object_.content == b"content"


def test_what_is_not_there_is_none(account):
    assert s3.get(account, BUCKET, "a/b") is None
    assert s3.get(account, "nobody-has-this", "a/b") is None


def test_only_the_first_writes_where_nothing_was(account):
    assert s3.put_if_absent(account, BUCKET, "lock", b"first") is not None
    assert s3.put_if_absent(account, BUCKET, "lock", b"second") is None
    object_ = s3.get(account, BUCKET, "lock")
    assert object_ is not None
    assert object_.content == b"first"


def test_a_write_whose_answer_was_lost_counts_when_it_is_tried_again(account):
    first = s3.put_if_absent(account, BUCKET, "lock", b"mine")
    assert s3.put_if_absent(account, BUCKET, "lock", b"mine") == first


def test_only_what_has_not_changed_is_replaced(account):
    etag = s3.put_if_absent(account, BUCKET, "lock", b"first")
    assert etag is not None
    newer = s3.put_if_same(account, BUCKET, "lock", b"second", etag)
    assert newer not in (None, etag)
    assert s3.put_if_same(account, BUCKET, "lock", b"third", etag) is None


def test_what_is_gone_is_not_replaced(account):
    etag = s3.put_if_absent(account, BUCKET, "lock", b"first")
    assert etag is not None
    s3.delete(account, BUCKET, "lock")
    assert s3.put_if_same(account, BUCKET, "lock", b"second", etag) is None


def test_a_folder_is_deleted_without_its_neighbours(account):
    for key in ("trainyard/llm/a", "trainyard/llm/b/c", "trainyard/llm-2/a"):
        s3.put(account, BUCKET, key, b"")
    assert s3.delete_below(account, BUCKET, "trainyard/llm/") == 2
    assert list(s3.sizes_below(account, BUCKET, "trainyard/")) == ["trainyard/llm-2/a"]


def test_more_objects_are_deleted_than_one_call_may_delete(account):
    for number in range(1001):
        s3.put(account, BUCKET, f"many/{number}", b"")
    assert s3.delete_below(account, BUCKET, "many/") == 1001


def test_a_prefix_that_is_no_folder_is_refused(account):
    with pytest.raises(TrainyardError, match="will not delete everything that begins with 'trainyard/llm'"):
        s3.delete_below(account, BUCKET, "trainyard/llm")


@pytest.mark.parametrize("call", ["get", "put"])
def test_who_may_not_set_lifecycle_rules_gets_the_bucket_all_the_same(account, monkeypatch, call):
    account.client("s3").delete_bucket_lifecycle(Bucket=BUCKET)
    client = account.client("s3")

    def denied(**_):
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, call)

    monkeypatch.setattr(client, f"{call}_bucket_lifecycle_configuration", denied)
    monkeypatch.setattr(type(account), "client", lambda *_: client)
    assert not s3.make_bucket(account, BUCKET)


def test_a_bucket_whose_broken_uploads_go_says_so(account):
    assert s3.make_bucket(account, BUCKET)


def test_another_refusal_of_lifecycle_rules_is_an_error(account, monkeypatch):
    client = account.client("s3")

    def refused(**_):
        raise ClientError({"Error": {"Code": "InternalError", "Message": "no"}}, "get")

    monkeypatch.setattr(client, "get_bucket_lifecycle_configuration", refused)
    monkeypatch.setattr(type(account), "client", lambda *_: client)
    with pytest.raises(TrainyardError, match="could not make bucket"):
        s3.make_bucket(account, BUCKET)
