"""A network that fails a fifth of all calls changes nothing in the outcome."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rehearsal.account_copies import deployed_account, seeded_account
from tests.rehearsal.faulty_proxy import FAULTS, faulty_proxy
from tests.rehearsal.whole import SPEC, counts, deployed, destroyed

pytestmark = pytest.mark.enable_socket


def has_the_same_outcome(seed: int) -> None:
    with seeded_account(SPEC) as account, deployed_account(SPEC) as undisturbed:
        before = counts(account)
        with faulty_proxy(account.endpoint or "", seed) as (endpoint, faults):
            through_it = replace(account, endpoint=endpoint)
            made = deployed(through_it)
            assert [result.error and result.error.problem for result in made.results if result.error] == []
            assert counts(account) == counts(undisturbed)
            assert destroyed(through_it).ok
        assert min(faults[fault] for fault in FAULTS) > 2, faults
        assert counts(account) - before == {"S3 buckets": 1, "S3 objects": 1}


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 6))
def test_whichever_calls_fail_it_changes_nothing(seed: int):
    has_the_same_outcome(seed)


@pytest.mark.parametrize(
    "action",
    [
        pytest.param("UpdateStack", marks=pytest.mark.integration),
        *(
            pytest.param(one, marks=pytest.mark.exhaustive)
            for one in ("CreateStack", "DeleteStack", "ExecuteChangeSet")
        ),
    ],
)
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
