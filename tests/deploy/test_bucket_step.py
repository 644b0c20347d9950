"""The bucket, made by whoever lacks rights that nothing needs."""

from __future__ import annotations

import pytest

from trainyard.deploy.steps.bucket import Bucket
from trainyard.deploy.work import Event, Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account


@pytest.mark.parametrize(("allowed", "count"), [(True, 0), (False, 1)])
def test_who_may_not_set_lifecycle_rules_is_told_what_stays(
    account: Account, monkeypatch: pytest.MonkeyPatch, *, allowed: bool, count: int
):
    monkeypatch.setattr(s3, "make_bucket", lambda *_: allowed)
    told: list[Event] = []
    bucket = s3.own_bucket(account)
    assert Bucket().apply(Work(account, "llm", None, bucket, told.append)).outputs == {"AssetsBucket": bucket}
    assert len([event for event in told if "s3:PutLifecycleConfiguration" in event.text]) == count
