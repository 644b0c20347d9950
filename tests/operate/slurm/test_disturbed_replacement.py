"""What disturbs the replacement of a node: credentials that expire, instances that go, and people who do the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from tests.operate.nodes.planted import BUCKET, launch
from tests.operate.slurm.replaced_node import Case
from trainyard.edge.aws import s3
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.replacement_record import ReplacementRecord, claim_successor

SERVICES = ("ec2", "s3", "ssm")
CALLS = 60
"""More than a replacement takes that waits for nothing."""
EXPIRED = {"Error": {"Code": "RequestExpired", "Message": "Request has expired."}}


@contextmanager
def expiring(case: Case, calls: int) -> Iterator[list[str]]:
    """Refuse all calls after so many, as AWS does once a session has ended; give the names of those refused.

    What the head node asks, it asks with credentials of its own.
    """
    made, refused, is_head = 0, list[str](), False

    def answer(model: Any, **_: object) -> tuple[AWSResponse, dict[str, Any]] | None:
        nonlocal made
        if is_head:
            return None
        made += 1
        if made <= calls:
            return None
        refused.append(model.name)
        return AWSResponse("", 400, {}, None), EXPIRED

    def as_head(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*words: Any) -> Any:
            nonlocal is_head
            is_head = True
            try:
                return function(*words)
            finally:
                is_head = False

        return called

    run, clustermgtd = case.slurm.run, case.slurm.clustermgtd
    case.slurm.run, case.slurm.clustermgtd = as_head(run), as_head(clustermgtd)  # type: ignore[method-assign]
    clients = [case.account.client(service) for service in SERVICES]
    for client in clients:
        client.meta.events.register_first("before-call", answer)
    try:
        yield refused
    finally:
        case.slurm.run, case.slurm.clustermgtd = run, clustermgtd  # type: ignore[method-assign]
        for client in clients:
            client.meta.events.unregister("before-call", answer)


def check_replaced(case: Case, done: ReplacementRecord) -> None:
    assert (done.stage, done.instance_id, done.new_instance_id) == ("done", case.old, case.slurm.instance)
    assert (case.held, case.slurm.state) == (False, "idle")


def problem_of(case: Case) -> str:
    """Return why a node is not replaced; empty where it is."""
    try:
        case.replace()
    except TrainyardError as error:
        return f"{error.problem} {error.hint}"
    return ""


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", ["st", "dy"])
def test_credentials_that_expire_at_any_moment_stop_it_and_others_go_on(
    make: Callable[..., Case], kind: str, every: int
):
    stopped = 0
    for calls in range(0, CALLS, every):
        case = make(f"gpu-{kind}-p5-48xlarge-{100 + calls}")
        with expiring(case, calls) as refused:
            problem = problem_of(case)
        assert bool(problem) == bool(refused), calls
        assert "expired" in problem or not problem, problem
        stopped += bool(problem)
        if not refused:
            break
        check_replaced(case, case.replace(case.old if case.slurm.instance == case.old else None))
        assert set(case.slurm.given_up) == {case.old}, calls
        s3.delete_below(case.account, BUCKET, "trainyard/llm/replacements/")  # each is one more to read
    assert not refused, "there are more calls than were tried"
    assert stopped * every > 15


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


@pytest.mark.parametrize("numbers", [range(1, 4), pytest.param(range(4, 14), marks=pytest.mark.exhaustive)])
def test_a_node_that_goes_at_any_moment_of_its_replacement_is_replaced_once(make: Callable[..., Case], numbers: range):
    for number in numbers:
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
