"""What disturbs the replacement of a node: credentials that expire, instances that go, and people who do the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Self

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

from tests.operate.nodes.planted import BUCKET, launch
from tests.operate.slurm.replaced_node import COMMANDS, Case
from trainyard.edge.aws import s3
from trainyard.edge.aws.calls import permission_of
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.remote_command import CommandResult
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.replacement_record import ReplacementRecord, claim_successor

CALLS = 90
"""More than a replacement takes that waits for nothing."""
# What services say once a session has ended, each in its own words:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
# https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
CODES = {"ec2": "RequestExpired", "s3": "ExpiredToken", "ssm": "ExpiredTokenException"}


class Session:
    """Credentials that are good for so many calls, those that bring commands to the head node included.

    What the head node asks itself, it asks with credentials of its own.
    """

    def __init__(self, case: Case, calls: int) -> None:
        self.left, self.refused = calls, list[str]()
        self._slurm, self._is_head, self._region = case.slurm, False, case.account.region
        self._run, self._clustermgtd = case.slurm.run, case.slurm.clustermgtd
        self._clients = [case.account.client(service) for service in CODES]

    def __enter__(self) -> Self:
        self._slurm.run = self._by_ssm  # type: ignore[assignment, method-assign]
        self._slurm.clustermgtd = self._on_head  # type: ignore[method-assign]
        for client in self._clients:
            client.meta.events.register_first("before-call", self._answer)
        return self

    def __exit__(self, *_: object) -> None:
        self._slurm.run, self._slurm.clustermgtd = self._run, self._clustermgtd  # type: ignore[method-assign]
        for client in self._clients:
            client.meta.events.unregister("before-call", self._answer)

    def _by_ssm(self, *words: Any) -> CommandResult:
        """Send a command and fetch what it printed: it has run where only the second of these calls is refused."""
        self._ask("send_command")
        self._is_head = True
        ran = self._run(*words)
        self._is_head = False
        self._ask("get_command_invocation")
        return ran

    def _on_head(self) -> None:
        self._is_head = True
        self._clustermgtd()
        self._is_head = False

    def _ask(self, operation: str) -> None:
        with aws_errors(self._region, permission=permission_of("ssm", operation)):
            if self._is_over(operation):
                raise ClientError(expired("ssm"), operation)

    def _answer(self, model: Any, **_: object) -> tuple[AWSResponse, dict[str, Any]] | None:
        if self._is_head or not self._is_over(model.name):
            return None
        return AWSResponse("", 400, {}, None), expired(model.service_model.service_name)

    def _is_over(self, call: str) -> bool:
        self.left -= 1
        if self.left < 0:
            self.refused.append(call)
        return self.left < 0


def expired(service: str) -> Any:
    return {"Error": {"Code": CODES[service], "Message": "The token has expired."}}


def check_replaced(case: Case, done: ReplacementRecord) -> None:
    assert (done.stage, done.instance_id, done.new_instance_id) == ("done", case.old, case.slurm.instance)
    assert (case.held, case.slurm.state) == (False, "idle")


def problem_of(case: Case) -> str:
    """Return why a node is not replaced; empty where it is."""
    try:
        case.replace()
    except TrainyardError as error:
        return f"{error.problem}; {error.hint}"
    return ""


def evidence_of(case: Case) -> list[Any]:
    """Return the evidence that replacements under way have, as their records say."""
    stored = [s3.get(case.account, BUCKET, record.evidence) for record in case.stored() if record.evidence]
    return [None if one is None else json.loads(one.content) for one in stored]


@pytest.mark.parametrize("every", [13, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", ["st", "dy"])
def test_credentials_that_expire_at_any_moment_stop_it_and_others_go_on(
    make: Callable[..., Case], kind: str, every: int
):
    stopped = told_held = 0
    for calls in range(0, CALLS, every):
        case = make(f"gpu-{kind}-p5-48xlarge-{100 + calls}")
        with Session(case, calls) as session:
            problem = problem_of(case)
        assert bool(problem) == bool(session.refused), calls
        if not session.refused:
            break
        assert "The token has expired" in problem, problem
        assert "then run the same command again" in problem, problem
        is_told_held = f"{case.slurm.name} stays held from jobs, and the same command goes on" in problem
        assert case.held or not is_told_held, calls
        assert not case.held or is_told_held or f"{case.slurm.name} may be held from jobs" in problem, calls
        kept = evidence_of(case)
        assert all("Reason=Xid 79" in one["slurm"] for one in kept), calls
        done = case.replace(case.old if case.slurm.instance == case.old else None)
        check_replaced(case, done)
        assert set(case.slurm.given_up) == {case.old}, calls
        assert evidence_of(case)[0]["instance"][0]["InstanceId"] == case.old, calls
        assert kept in ([], evidence_of(case)), calls
        stopped, told_held = stopped + 1, told_held + is_told_held
        s3.delete_below(case.account, BUCKET, "trainyard/llm/replacements/")  # each is one more to read
    assert not session.refused, "there are more calls than were tried"
    assert stopped * every > 15
    assert told_held * every > 15


def gone_before(case: Case, number: int) -> None:
    """Let the node's instance go before a command of Slurm, and clustermgtd launch another for its name."""
    run, counted = case.slurm.run, [0]

    def disturbed(*words: Any) -> Any:
        counted[0] += 1
        if counted[0] == number + 1:
            case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
            case.slurm.launch()
        return run(*words)

    case.slurm.run = disturbed  # type: ignore[assignment, method-assign]


@pytest.mark.parametrize("numbers", [range(1, 4), pytest.param(range(4, COMMANDS - 2), marks=pytest.mark.exhaustive)])
def test_a_node_that_goes_at_any_moment_of_its_replacement_is_replaced_once(make: Callable[..., Case], numbers: range):
    for number in numbers:  # from what gives it back to jobs on, it is a node like any other
        case = make(f"gpu-st-p5-48xlarge-{200 + number}")
        gone_before(case, number)
        done = case.replace()
        check_replaced(case, done)
        assert len(case.slurm.given_up) <= 1, number


def test_a_node_that_goes_while_its_jobs_are_waited_for_is_not_drained_again(make: Callable[..., Case]):
    case = make(jobs=5)

    def tell(text: str) -> None:
        case.told.append(text)
        if text.startswith("waits for"):
            case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
            case.slurm.launch()
            case.slurm.jobs = 0

    done = case.replace(wait_for_jobs_s=3600, tell=tell)
    check_replaced(case, done)
    assert case.slurm.given_up == []


def test_a_successor_that_goes_before_it_is_proven_gives_way_to_the_next_one_in_the_same_call(
    make: Callable[..., Case],
):
    case = make()
    second: list[str] = []

    def tell(text: str) -> None:
        case.told.append(text)
        if "takes the place" in text and not second:
            case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
            case.slurm.launch()
            second.append(case.slurm.instance)

    done = case.replace(tell=tell)
    check_replaced(case, done)
    assert done.new_instance_id == second[0]
    assert case.slurm.given_up == [case.old]


def test_a_node_that_is_gone_already_is_said_to_be(make: Callable[..., Case]):
    case = make("gpu-dy-p5-48xlarge-7")
    case.account.client("ec2").terminate_instances(InstanceIds=[case.slurm.instance])
    case.slurm.state = "idle~"
    with pytest.raises(InputError, match=r"gpu-dy-p5-48xlarge-7 has no instance: it is idle~"):
        case.replace()
    assert (case.stored(), case.held) == ([], False)


def test_two_people_who_replace_one_node_replace_it_once(make: Callable[..., Case]):
    case = make(jobs=3)
    other: list[ReplacementRecord] = []

    def tell(text: str) -> None:
        case.told.append(text)
        if text.startswith("waits for") and not other:
            other.append(case.replace(wait_for_jobs_s=3600))

    with pytest.raises(TrainyardError, match="somebody else replaces gpu-st-p5-48xlarge-1 as well") as told:
        case.replace(wait_for_jobs_s=3600, tell=tell)
    assert "the same command goes on" in str(told.value.hint)
    check_replaced(case, other[0])
    assert case.slurm.given_up == [case.old]


def test_a_hold_that_somebody_takes_away_meanwhile_ends_no_job(make: Callable[..., Case]):
    case = make(jobs=2)

    def tell(text: str) -> None:
        case.told.append(text)
        if text.startswith("waits for"):
            case.slurm.reservations.clear()
            case.slurm.jobs = 6  # another one began

    done = case.replace(wait_for_jobs_s=3600, tell=tell)
    check_replaced(case, done)
    assert not any("State=DOWN" in command for command in case.slurm.commands)
    assert any("it is held again" in text for text in case.told)


def test_what_another_replacement_has_claimed_and_never_finished_is_nobody_elses_successor(
    make: Callable[..., Case],
):
    case = make()
    stranger = launch(case.account, "Compute", queue_name="gpu", compute_resource_name="p5-48xlarge")
    other = ReplacementRecord("i-0000000000000dead", "gpu-st-p5-48xlarge-9", "p5.48xlarge", "Xid 79", "")
    assert claim_successor(case.account, BUCKET, "llm", other, stranger)
    check_replaced(case, case.replace())
