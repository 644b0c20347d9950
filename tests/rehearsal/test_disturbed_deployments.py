"""A deployment that is killed, or whose network fails, goes on where it stopped, and so does a destruction."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.rehearsal.account_copies import deployed_account, seeded_account
from tests.rehearsal.faulty_proxy import FAULTS, faulty_proxy
from tests.rehearsal.whole import (
    SPEC,
    STEPS,
    UNDONE,
    WITHOUT_STATIC_NODES,
    counts,
    deployed,
    destroyed,
    killed,
)

pytestmark = pytest.mark.enable_socket
# ParallelCluster makes a bucket for an account and region, and never removes it.
LEFT = {"S3 buckets": 1, "S3 objects": 1}


def undisturbed(text: str) -> Counter[str]:
    """Return how many things of each kind exist after a deployment that nothing disturbed."""
    with deployed_account(text) as account:
        return counts(account)


def is_the_same_in_the_end(text: str, deploy_dies: str, destroy_dies: str) -> None:
    with seeded_account(text) as account:
        before = counts(account)
        killed(account, "deploy", deploy_dies, text)
        assert deployed(account, text).ok
        assert counts(account) == undisturbed(text)
        killed(account, "destroy", destroy_dies, text)
        assert destroyed(account, text).ok
        after = counts(account)
        assert after - before == LEFT
        assert before - after == {}


@pytest.mark.integration
def test_who_is_killed_goes_on_and_makes_nothing_twice():
    is_the_same_in_the_end(WITHOUT_STATIC_NODES, "release", "storage")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("deploy_dies", "destroy_dies"), [(step, UNDONE[number % len(UNDONE)]) for number, step in enumerate(STEPS)]
)
def test_whoever_is_killed_after_any_step_goes_on(deploy_dies: str, destroy_dies: str):
    is_the_same_in_the_end(SPEC, deploy_dies, destroy_dies)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_network_that_fails_a_fifth_of_all_calls_changes_nothing(seed: int):
    with seeded_account(SPEC) as account:
        before = counts(account)
        with faulty_proxy(account.endpoint or "", seed) as (endpoint, faults):
            through_it = replace(account, endpoint=endpoint)
            made = deployed(through_it)
            assert [result.error and result.error.problem for result in made.results if result.error] == []
            assert counts(account) == undisturbed(SPEC)
            assert destroyed(through_it).ok
        assert min(faults[fault] for fault in FAULTS) > 2, faults
        assert counts(account) - before == LEFT


@pytest.mark.integration
def test_a_lost_answer_to_an_update_of_the_cluster_changes_nothing():
    with (
        deployed_account(WITHOUT_STATIC_NODES) as account,
        faulty_proxy(account.endpoint or "", lost="UpdateStack") as (endpoint, faults),
    ):
        before = counts(account)
        made = deployed(replace(account, endpoint=endpoint), SPEC)  # which starts the static nodes
        assert [result.error.problem for result in made.results if result.error] == []
        assert faults["reset after"] == 1
        assert counts(account)["EC2 instances"] == before["EC2 instances"] + 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("action", ["UpdateStack", "CreateStack", "DeleteStack", "ExecuteChangeSet"])
def test_a_lost_answer_of_cloudformation_changes_nothing(action: str):
    # A log group has the minute of its making in its name: one that is kept would be in the way of a creation within
    # the same minute, for which AWS is too slow and this machine may be quick enough.
    without_logs = SPEC.replace("{mode: amp-only}", "{mode: amp-only, keep_logs: false}")
    text = without_logs if action == "CreateStack" else SPEC
    with seeded_account(text) as account, faulty_proxy(account.endpoint or "", lost=action) as (endpoint, faults):
        through_it = replace(account, endpoint=endpoint)
        made = deployed(through_it, text)
        assert [result.error.problem for result in made.results if result.error] == []
        assert destroyed(through_it, text).ok
        assert faults["reset after"] == 1
