"""Credentials that expire in the middle: the first error is what is told, with what was done, and nothing is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.deploy.deployment import DeploymentResult, deploy
from trainyard.deploy.lock import Lock
from trainyard.deploy.record import read_record
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import cleaned_up
from trainyard.errors import TrainyardError

SERVICES = ("s3", "cloudformation", "ec2")


class _Answer:
    status_code = 400


@dataclass
class Credentials:
    """Those of an account, which can expire and be fresh again."""

    account: Account
    expired: bool = False

    def __post_init__(self) -> None:
        for service in SERVICES:
            self.account.client(service).meta.events.register("before-call", self.answer)

    def answer(self, **_: Any) -> tuple[_Answer, dict[str, Any]] | None:
        error = {"Code": "ExpiredToken", "Message": "The provided token has expired."}
        return (_Answer(), {"Error": error, "ResponseMetadata": {}}) if self.expired else None


@dataclass
class Made:
    """A step that makes something, during or after which credentials expire."""

    credentials: Credentials
    name: str = "network"
    expires: str = ""
    title: str = "something"

    def probe(self, work: Work) -> Probe:  # noqa: ARG002  the protocol of steps
        return Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        self.credentials.expired = self.expires != ""
        if self.expires == "during":
            s3.put(work.account, BUCKET, "trainyard/llm/something", b"")
        return StepOutcome(changed=True, detail=f"{self.name} made")

    def undo(self, work: Work) -> StepOutcome:  # noqa: ARG002  as above
        return StepOutcome(changed=False)


@pytest.fixture
def credentials(account: Account) -> Credentials:
    return Credentials(account)


def deployed(credentials: Credentials, events: list[Event], *steps: Made) -> DeploymentResult:
    options = Options(before_cluster=True)
    return deploy(Work(credentials.account, "llm", spec_of("name: llm"), BUCKET, events.append, options), "", steps)


@pytest.mark.parametrize(
    ("expires", "failed"),
    [("during", "could not write s3://ml-bucket/trainyard/llm/something"), ("after", "could not read s3://ml-bucket")],
)
def test_the_first_error_is_told_with_what_was_done(credentials: Credentials, expires: str, failed: str):
    events: list[Event] = []
    done = deployed(credentials, events, Made(credentials), Made(credentials, "storage", expires))
    statuses = {result.name: result.status for result in done.results}
    assert (statuses["network"], statuses["storage"]) == ("done", "failed" if expires == "during" else "done")
    assert not done.ok
    assert done.stage is None
    error = done.results[-1].error
    assert error is not None
    assert error.problem.startswith(failed)
    assert "The provided token has expired" in error.problem
    assert str(error.hint).endswith("then run the same command again")


def test_it_is_said_until_when_the_lock_is_held(credentials: Credentials):
    events: list[Event] = []
    deployed(credentials, events, Made(credentials, expires="during"))
    assert "the lock of llm could not be released" in events[-1].text
    assert "2027-01-15T08:15:00+00:00" in events[-1].text


def test_fresh_credentials_go_on(credentials: Credentials):
    deployed(credentials, [], Made(credentials, expires="after"))
    credentials.expired = False
    credentials.account.clock.sleep(16 * 60)  # or another process: a lock of this one is not taken over
    assert deployed(credentials, [], Made(credentials)).stage == "prepared"
    record = read_record(credentials.account, BUCKET, "llm")
    assert record is not None
    assert record.stage == "prepared"


def test_a_lock_that_may_be_lost_by_then_does_not_hide_why_it_failed(credentials: Credentials):
    class Slow(Made):
        def apply(self, work: Work) -> StepOutcome:
            work.account.clock.sleep(16 * 60)
            return super().apply(work)

    done = deployed(credentials, [], Slow(credentials, expires="during"))
    assert "The provided token has expired" in done.results[-1].detail


def test_what_was_done_after_the_lock_was_lost_is_told_too(credentials: Credentials):
    class Slow(Made):
        def apply(self, work: Work) -> StepOutcome:
            work.account.clock.sleep(16 * 60)
            return super().apply(work)

    done = deployed(credentials, [], Made(credentials), Slow(credentials, "storage"))
    assert [(result.name, result.status) for result in done.results][-2:] == [
        ("network", "done"),
        ("storage", "failed"),
    ]
    assert "has taken over the lock" in done.results[-1].detail


def test_a_lock_that_cannot_be_released_is_no_failure_of_the_work(credentials: Credentials):
    said: list[str] = []
    with Lock(credentials.account, BUCKET, "llm", "deploy", said.append):
        credentials.expired = True
    assert said[0].startswith("the lock of llm could not be released: could not read s3://ml-bucket/trainyard/llm/lock")


def test_what_cleans_up_does_not_hide_the_first_error_and_is_not_hidden_itself(credentials: Credentials):
    def clean_up() -> None:
        s3.put(credentials.account, BUCKET, "x", b"")

    credentials.expired = True
    with pytest.raises(ZeroDivisionError), cleaned_up(clean_up):
        _ = 1 / 0
    with pytest.raises(TrainyardError, match="token has expired"), cleaned_up(clean_up):
        pass
