"""What S3 says about a bucket, without changing it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import s3, s3_lookup
from trainyard.edge.aws.account import Account

BUCKET = "ml-bucket"
KEY = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        s3.make_bucket(made, BUCKET)
        yield made


def key_after(account: Account, **default: str) -> str | None:
    account.client("s3").put_bucket_encryption(
        Bucket=BUCKET,
        ServerSideEncryptionConfiguration={"Rules": [{"ApplyServerSideEncryptionByDefault": default}]},
    )
    return s3_lookup.encryption_key(account, BUCKET, account.id)


@pytest.mark.parametrize("algorithm", ["aws:kms", "aws:kms:dsse"])
def test_the_key_of_a_bucket_is_what_its_settings_name(account, algorithm):
    assert key_after(account, SSEAlgorithm=algorithm, KMSMasterKeyID=KEY) == KEY


@pytest.mark.parametrize("algorithm", ["AES256", "aws:kms"])
def test_a_bucket_for_which_nobody_chose_a_key_has_none(account, algorithm):
    assert key_after(account, SSEAlgorithm=algorithm) is None


def test_a_bucket_that_is_not_there_or_has_no_settings_has_no_key(account):
    account.client("s3").delete_bucket_encryption(Bucket=BUCKET)
    assert s3_lookup.encryption_key(account, BUCKET, account.id) is None
    assert s3_lookup.encryption_key(account, "nobody-has-this", account.id) is None
