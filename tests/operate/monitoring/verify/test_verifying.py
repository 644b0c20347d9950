"""All checks together: which are made, what is said where one cannot be, and how long somebody waits."""

from __future__ import annotations

import pytest

from tests.edge.aws.in_memory import StandingClock
from tests.operate.monitoring.verify.situations import FakeKeeper, in_account, nodes, spec, whole
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.operate.monitoring.verify.finding_kinds import kinds
from trainyard.operate.monitoring.verify.in_account import InAccount, ScrapedInstance
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.verification import verify, verify_until_good


class Refusing(InAccount):
    """An account that does not let anybody see its instances."""

    @property
    def instances(self) -> tuple[ScrapedInstance, ...]:
        raise NotAllowedError("ec2:DescribeInstances", "no")


def test_an_unreachable_keeper_is_a_finding_and_keeps_nobody_from_looking_at_the_account():
    keeper, told = FakeKeeper(), list[str]()
    keeper.reachable = False
    verified = verify(Situation(spec(), keeper, in_account(nodes())), told.append)
    unreachable = next(finding for finding in verified.findings if finding.id == "keeper-unreachable")
    assert unreachable.message == "no Prometheus answers at http://localhost:9090"
    assert unreachable.remedy == "is the port forwarded?"
    assert verified.looked_at["instances"] == 4
    assert "tags of instances" in told
    assert "targets" not in told


def test_where_nothing_arrives_nothing_is_said_of_single_targets():
    verified = verify(Situation(spec(), FakeKeeper(whole())), lambda _: None)
    assert [finding.id for finding in verified.findings] == ["no-recent-samples", "rules-not-loaded"]
    assert not verified.good


def test_a_check_that_may_not_be_made_is_a_warning_and_the_others_are_made():
    account = Refusing(in_account().account, spec(), {})
    keeper = FakeKeeper(whole(), {"max(timestamp": 1.0})
    verified = verify(Situation(spec(), keeper, account), lambda _: None)
    refused = [finding for finding in verified.findings if finding.id == "not-verified"]
    assert {finding.severity for finding in refused} == {"warning"}
    assert "tags of instances: not allowed: ec2:DescribeInstances" in {finding.message for finding in refused}
    assert any(finding.id == "panel-empty" for finding in verified.findings)


def test_findings_come_the_worst_first():
    verified = verify(Situation(spec(), FakeKeeper(whole(), {"max(timestamp": 1.0})), lambda _: None)
    order = ["error", "warning", "info"]
    severities = [order.index(finding.severity) for finding in verified.findings]
    assert severities == sorted(severities)
    assert len(set(severities)) > 1


def test_waiting_ends_when_the_time_is_over():
    clock, looks = StandingClock(), list[float]()

    def situation() -> Situation:
        looks.append(clock.now())
        return Situation(spec(), FakeKeeper())

    verified = verify_until_good(situation, clock, 100, lambda _: None)
    assert not verified.good
    assert [look - looks[0] for look in looks] == [0, 30, 60, 90, 100]


def test_without_waiting_there_is_one_look():
    clock = StandingClock()
    verify_until_good(lambda: Situation(spec(), FakeKeeper()), clock, 0, lambda _: None)
    assert clock.now() == StandingClock().now()


@pytest.mark.parametrize(("id_", "kind"), kinds().items())
def test_every_kind_of_finding_is_explained(id_, kind):
    assert kind.id == id_
    assert kind.severity in ("error", "warning", "info")
    assert kind.source.startswith("https://")
    assert kind.remedy.endswith(".")
