"""Signals during long work: it stops soon, cleans up what was temporary, and the same command goes on."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.in_account import run, started
from tests.cli.test_deploying import ENVIRONMENT, stack_names, written
from tests.operate.logs.planted import SLURMCTLD, now_ms, put
from tests.operate.nodes.planted import plant, record, step
from tests.operate.nodes.planted import put as put_record
from tests.program import Process
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import SPEC
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.rehearsal import page

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# Calls that may follow: those under way in the threads of the preflights, and what cleans up: the lock is read and
# deleted, a change set of each of the two stacks discarded.
UNDER_WAY = 8
CLEAN_UP = 4
# What a command that only looks may still call: what its threads have begun.
OF_A_LOOK = 8
STACKS = {"shared-network", "shared-storage"}


def calls(account: Account) -> int:
    return sum(page(account, "calls").values())


def interrupted(account: Account, process: Process, number: signal.Signals) -> int:
    """Send a signal, and return how many calls there were before: what is called until it is told does not count."""
    with suppress(ProcessLookupError):  # it has ended
        process.send_signal(signal.SIGSTOP)
        before = calls(account)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        return before
    return calls(account)


def stopped(account: Account, folder: Path, number: signal.Signals, *, after_s: float = 0.0, after: str = "") -> int:
    """Deploy, send a signal at some time or after a line, and return the exit status. Nothing temporary is left."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    process = started(account, "deploy", written(folder, ENVIRONMENT), "--yes", TMPDIR=str(temporary))
    if after:
        next(line for line in process.stderr if after in line)
    time.sleep(after_s)
    before = interrupted(account, process, number)
    _, err = process.communicate()
    assert "Traceback" not in err
    assert calls(account) - before <= UNDER_WAY + CLEAN_UP, f"it went on as if nobody had asked: {err}"
    if process.returncode == 0:
        assert calls(account) == before, f"it had not ended yet: {err}"
    assert [file.name for file in temporary.iterdir()] == []
    return process.returncode


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_deployment_that_is_told_to_stop_stops_and_goes_on_when_it_is_called_again(
    tmp_path: Path, number: signal.Signals
):
    with seeded_account(ENVIRONMENT) as account:
        # On a busy machine it may be at its end by then, which is no other status.
        assert stopped(account, tmp_path, number, after="network") == 128 + number
        assert run(account, "deploy", tmp_path / "spec.yaml", "--yes")[0] == 0
        assert stack_names(account) == STACKS


@pytest.mark.long
@pytest.mark.exhaustive
def test_no_press_at_any_moment_is_lost(tmp_path: Path):
    chance = random.Random(22)
    moments_s = sorted(chance.uniform(0.05, 6.0) for _ in range(100))
    for moment_s in moments_s:
        with seeded_account(ENVIRONMENT) as account:
            status = stopped(account, tmp_path, signal.SIGINT, after_s=moment_s)
            # 0 where it had ended already: ``stopped`` has seen that no call followed.
            assert status in (0, 130, -signal.SIGINT), f"after {moment_s:.2f} s"
            assert run(account, "deploy", tmp_path / "spec.yaml", "--yes")[0] == 0, f"after {moment_s:.2f} s"
            assert stack_names(account) == STACKS


WHERE = ("llm", "--region", "us-east-2")
ENDLESS = {
    "logs": ("logs", *WHERE, "--log", "slurmctld", "--follow"),
    "status": ("status", *WHERE, "--watch", "5"),
    "json": ("status", *WHERE, "--watch", "5", "--json"),
    "nodes": ("nodes", "watch", *WHERE),
    "lines": ("logs", *WHERE, "--log", "slurmctld"),
}
# 1 is what status says of a cluster that is not up; a signal, of a program that has not begun.
ENDS = (0, 1, 130, -signal.SIGINT)


@pytest.fixture(scope="module")
def looked_at() -> Iterator[Account]:
    with seeded_account(SPEC) as account:
        s3.make_bucket(account, s3.own_bucket(account))
        head, *_ = plant(account, s3.own_bucket(account))
        report = record(head, "running", role="head", queue="", hostname="head-node", steps=[step("efa", "running")])
        put_record(account, head, report, s3.own_bucket(account))
        put(account, SLURMCTLD, [(now_ms(account) - 1000 + at, f"line {at}") for at in range(50)])
        yield account


def ended(account: Account, command: tuple[str, ...], after_s: float) -> int:
    """Start a command that only looks, interrupt it at some time, and return its exit status."""
    process = started(account, *command)
    time.sleep(after_s)
    before = interrupted(account, process, signal.SIGINT)
    out, err = process.communicate()
    assert "Traceback" not in out + err, err
    assert "Exception ignored" not in err, err
    assert calls(account) - before <= OF_A_LOOK, f"it went on as if nobody had asked: {err}"
    return process.returncode


def moments(number: int, seed: int) -> list[tuple[str, float]]:
    """Return commands that only look, each with a moment while it starts, asks or waits."""
    chance = random.Random(seed)
    return [(chance.choice(sorted(ENDLESS)), chance.uniform(0.0, 2.5)) for _ in range(number)]


@pytest.mark.parametrize("name", ["logs", "status", "nodes"])
def test_what_only_looks_ends_at_a_press(looked_at: Account, name: str):
    assert ended(looked_at, ENDLESS[name], 0.6) in ENDS


@pytest.mark.exhaustive
def test_no_press_at_any_moment_is_lost_by_what_only_looks(looked_at: Account):
    for name, moment_s in moments(50, 23):
        status = ended(looked_at, ENDLESS[name], moment_s)
        assert status in ENDS, f"{name} after {moment_s:.2f} s"
