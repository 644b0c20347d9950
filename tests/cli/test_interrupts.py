"""Signals during long work: it stops soon, cleans up what was temporary, and the same command goes on."""

from __future__ import annotations

import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.in_account import run, started
from tests.cli.test_deploying import ENVIRONMENT, stack_names, written
from tests.rehearsal.account_copies import seeded_account
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.rehearsal import page

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
# Calls that may follow: those under way in the threads of the preflights, and what cleans up: the lock is read and
# deleted, a change set of each of the two stacks discarded.
UNDER_WAY = 8
CLEAN_UP = 4
STACKS = {"shared-network", "shared-storage"}


def calls(account: Account) -> int:
    return sum(page(account, "calls").values())


def stopped(account: Account, folder: Path, number: signal.Signals, *, after_s: float = 0.0, after: str = "") -> int:
    """Deploy, send a signal at some time or after a line, and return the exit status. Nothing temporary is left."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    process = started(account, "deploy", written(folder, ENVIRONMENT), "--yes", TMPDIR=str(temporary))
    if after:
        next(line for line in process.stderr if after in line)
    time.sleep(after_s)
    before = 0
    with suppress(ProcessLookupError):  # it has ended
        process.send_signal(signal.SIGSTOP)  # what it calls before it is told to stop does not count
        before = calls(account)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
    before = before or calls(account)
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
