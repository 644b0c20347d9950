"""Files of calls that were killed go, and those of other clusters stay, however alike their names are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.parallelcluster_files import delete_abandoned_files, resources_bucket

READ = "parallelcluster/3.16.1/clusters/llm-5keqdt0h7uobbg7o"
ABANDONED = (
    "parallelcluster/3.16.1/clusters/llm-aaaaaaaaaaaaaaaa/configs/cluster-config.yaml",
    "parallelcluster/3.15.1/clusters/llm-bbbbbbbbbbbbbbbb/assets/1",
)
OF_OTHERS = (
    f"{READ}/configs/cluster-config.yaml",
    "parallelcluster/.bootstrapped",
    "parallelcluster/3.16.1/clusters/llm-2-aaaaaaaaaaaaaaaa/configs/cluster-config.yaml",
    "parallelcluster/3.16.1/clusters/xllm-aaaaaaaaaaaaaaaa/configs/cluster-config.yaml",
    "parallelcluster/3.16.1/images/llm-aaaaaaaaaaaaaaaa/image.yaml",
)


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        s3.make_bucket(made, resources_bucket(made))
        for key in (*ABANDONED, *OF_OTHERS):
            s3.put(made, resources_bucket(made), key, b"")
        yield made


def test_what_no_stack_reads_goes_and_all_else_stays(account):
    assert delete_abandoned_files(account, "llm", READ) == len(ABANDONED)
    assert set(s3.sizes_below(account, resources_bucket(account), "")) == set(OF_OTHERS)


def test_a_bucket_that_parallelcluster_has_not_made_holds_nothing():
    with account_in_memory() as made:
        assert delete_abandoned_files(made, "llm", None) == 0
