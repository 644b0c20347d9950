"""A deployment that is killed goes on where it stopped, and so does a destruction."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.rehearsal.account_copies import deployed_account, seeded_account
from tests.rehearsal.whole import SPEC, STEPS, UNDONE, counts, deployed, destroyed, killed

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def whole() -> Counter[str]:
    """How many things of each kind exist after a deployment that nobody disturbed."""
    with deployed_account(SPEC) as account:
        return counts(account)


def is_the_same_in_the_end(whole: Counter[str], deploy_dies: str, destroy_dies: str) -> None:
    with seeded_account(SPEC) as account:
        before = counts(account)
        killed(account, "deploy", deploy_dies)
        assert deployed(account).ok
        assert counts(account) == whole
        killed(account, "destroy", destroy_dies)
        assert destroyed(account).ok
        after = counts(account)
        # ParallelCluster makes a bucket for an account and region, and never removes it.
        assert after - before == {"S3 buckets": 1, "S3 objects": 1}
        assert before - after == {}


@pytest.mark.integration
def test_who_is_killed_goes_on_and_makes_nothing_twice(whole: Counter[str]):
    is_the_same_in_the_end(whole, "release", "storage")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("deploy_dies", "destroy_dies"), [(step, UNDONE[number % len(UNDONE)]) for number, step in enumerate(STEPS)]
)
def test_whoever_is_killed_after_any_step_goes_on(whole: Counter[str], deploy_dies: str, destroy_dies: str):
    is_the_same_in_the_end(whole, deploy_dies, destroy_dies)
