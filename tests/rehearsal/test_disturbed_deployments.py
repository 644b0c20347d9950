"""A deployment that is killed, or whose network fails, goes on where it stopped, and so does a destruction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.rehearsal.account_copies import deployed_account, prepared_account, seeded_account
from tests.rehearsal.disturbed_specs import DISTURBED_SPECS
from tests.rehearsal.faulty_proxy import FAULTS, faulty_proxy
from tests.rehearsal.kill_points import kill_points
from tests.rehearsal.whole import SPEC, WITHOUT_STATIC_NODES, counts, deployed, destroyed, killed
from tests.rehearsal.whole_account import whole_account
from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account

Act = Callable[[Account, str], DeploymentResult]

pytestmark = pytest.mark.enable_socket
# ParallelCluster makes a bucket for an account and region, and never removes it.
LEFT = {"S3 buckets": 1, "S3 objects": 1}


@pytest.mark.integration
def test_who_is_killed_goes_on_and_makes_nothing_twice():
    before_cluster = Options(before_cluster=True)  # all that a process killed there can have made twice
    with seeded_account(WITHOUT_STATIC_NODES) as account:
        assert deployed(account, WITHOUT_STATIC_NODES, before_cluster).ok
        undisturbed = counts(account)
    with seeded_account(WITHOUT_STATIC_NODES) as account:
        before = counts(account)
        killed(account, "deploy", "release", WITHOUT_STATIC_NODES)
        assert deployed(account, WITHOUT_STATIC_NODES, before_cluster).ok
        assert counts(account) == undisturbed
        killed(account, "destroy", "storage", WITHOUT_STATIC_NODES)
        assert destroyed(account, WITHOUT_STATIC_NODES).ok
        assert counts(account) == before


def goes_on_from_kills(before: Account, text: str, act: Act, is_chosen: Callable[[int, str], bool]) -> int:
    """Act once undisturbed, and again from chosen points; return how many they were."""
    with kill_points(before, text, is_chosen) as (account, points):
        assert act(account, text).ok
        expected = whole_account(before)
        for point in points:
            done = act(point.account, text)
            assert [result.error.problem for result in done.results if result.error] == [], point.call
            left = whole_account(point.account)
            assert (point.call, left - expected, expected - left) == (point.call, Counter(), Counter())
        return len(points)


# Between the control plane and its provider, and between roles and those that take them.
CALLS_OF_EKSCTL = re.compile(r"CreateOpenIDConnectProvider|POST /clusters/llm/(addons|pod-identity-associations)")


@pytest.mark.exhaustive
def test_a_cluster_of_eks_is_the_same_wherever_its_deployment_was_killed():
    text = DISTURBED_SPECS["eks"].text
    chosen: Counter[str] = Counter()

    def is_chosen(number: int, call: str) -> bool:
        del number
        if not CALLS_OF_EKSCTL.fullmatch(call):
            return False
        chosen[call] += 1
        return chosen[call] == 1

    with seeded_account(text) as account:
        assert goes_on_from_kills(account, text, deployed, is_chosen) > 2


def edited(text: str) -> str:
    return next(spec.edited for spec in DISTURBED_SPECS.values() if spec.text == text)


def deploy_and_edit(account: Account, text: str) -> None:
    assert deployed(account, text).ok
    assert deployed(account, edited(text)).ok


@contextmanager
def account_before(act: str, text: str) -> Iterator[Account]:
    if act == "deploy":
        before = seeded_account(text)
    else:
        before = deployed_account(text) if act == "edit" else prepared_account(text, deploy_and_edit)
    with before as account:
        yield account


# Into how many parts the kill points are divided, so that one takes less than a minute of a processor.
PARTS = {
    "batch": {"deploy": 1, "edit": 1, "destroy": 1},
    "environment": {"deploy": 1, "edit": 1, "destroy": 1},
    "eks": {"deploy": 10, "edit": 8, "destroy": 3},
    "parallelcluster": {"deploy": 8, "edit": 3, "destroy": 3},
}


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("platform", "act", "part"),
    [(platform, act, part) for platform, acts in PARTS.items() for act, parts in acts.items() for part in range(parts)],
)
def test_whoever_is_killed_before_any_call_goes_on(platform: str, act: str, part: int):
    text = DISTURBED_SPECS[platform].text
    parts = PARTS[platform][act]

    def is_chosen(number: int, call: str) -> bool:
        del call
        return number % parts == part

    with account_before(act, text) as account:
        wanted = text if act == "deploy" else edited(text)
        assert goes_on_from_kills(account, wanted, destroyed if act == "destroy" else deployed, is_chosen) > 1


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(
    "faults", [FAULTS, ("throttled",), ("reset before", "reset after")], ids=["mixed", "throttled", "lost"]
)
@pytest.mark.parametrize("platform", DISTURBED_SPECS)
def test_a_network_that_fails_a_fifth_of_all_calls_changes_nothing(platform: str, faults: tuple[str, ...], seed: int):
    text = DISTURBED_SPECS[platform].text
    with deployed_account(text) as account:
        expected = whole_account(account)
    with seeded_account(text) as account:
        before = counts(account)
        with faulty_proxy(account.endpoint or "", seed, faults=faults) as (endpoint, counted):
            through_it = replace(account, endpoint=endpoint)
            made = deployed(through_it, text)
            assert [result.error and result.error.problem for result in made.results if result.error] == []
            assert whole_account(account) == expected
            assert destroyed(through_it, text).ok
        assert sum(counted[fault] for fault in faults) > 5, counted
        assert counts(account) - before == (LEFT if platform == "parallelcluster" else Counter())


@pytest.mark.exhaustive
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


@pytest.mark.integration
@pytest.mark.exhaustive
@pytest.mark.parametrize("action", ["ExecuteChangeSet", "DeleteStack"])
def test_a_lost_answer_about_an_environment_changes_nothing(action: str):
    text = DISTURBED_SPECS["environment"].text
    with seeded_account(text) as account, faulty_proxy(account.endpoint or "", lost=action) as (endpoint, faults):
        before = counts(account)
        through_it = replace(account, endpoint=endpoint)
        made = deployed(through_it, text)
        assert [result.error.problem for result in made.results if result.error] == []
        assert destroyed(through_it, text).ok
        assert faults["reset after"] == 1
        assert counts(account) - before == Counter()


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
