"""ParallelCluster's own export, run by the real program against an emulated account."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator

import pytest

from tests.operate.logs.planted import GROUP, plant
from tests.rehearsal.account_copies import empty_account
from tests.rehearsal.cloud import create
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.operate.logs.period import Period
from trainyard.platforms.parallelcluster.logs.with_pcluster import export_with_pcluster

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

BUCKET = "bucket-of-an-export"


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as made:
        create(
            made,
            {"Topic": {"Type": "AWS::SNS::Topic"}},
            name="llm",
            sections={"Parameters": {"ClusterCWLogGroup": {"Type": "String"}}},
            Parameters=[{"ParameterKey": "ClusterCWLogGroup", "ParameterValue": GROUP}],
            Tags=[{"Key": "parallelcluster:version", "Value": "3.16.1"}],
        )
        plant(made)
        made.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        yield made


def two_hours(account: Account) -> Period:
    return Period(int((account.clock.now() - 7200) * 1000))


def test_its_archive_is_moved_into_place(account, tmp_path):
    told: list[str] = []
    file = tmp_path / "logs.tar.gz"
    export_with_pcluster("llm", account, BUCKET, two_hours(account), file, report=told.append)
    with tarfile.open(file) as tar:
        assert any(name.endswith("/llm-cfn-events") for name in tar.getnames())
    assert list(tmp_path.iterdir()) == [file]
    assert told[-1] == f"ParallelCluster 3.16.1 exports the logs by way of bucket {BUCKET}, which takes minutes"


def test_what_it_could_not_do_is_told_in_its_words_and_leaves_nothing(account, tmp_path):
    with pytest.raises(TrainyardError, match="Unable to export cluster's logs"):
        export_with_pcluster("llm", account, "nobody-s-bucket", two_hours(account), tmp_path / "logs.tar.gz")
    assert list(tmp_path.iterdir()) == []
