"""Bootstraps that are ended in the middle: by a time limit, by a signal, by kill -9, by a full disk."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.node.machine import CLUSTER_FOLDER, Machine, states
from tests.waiting import wait_until

pytestmark = pytest.mark.integration
# A child and its child, both deaf to the polite signal, that say who they are.
STUBBORN = """\
trap '' TERM
bash -c 'trap "" TERM; echo $$ >> "$0/pids"; while :; do sleep 1; done' "$STUB" &
echo $$ >> "$STUB/pids"
echo "still installing" >&2
while :; do sleep 1; done"""


def pids(machine: Machine) -> list[int]:
    file = machine.stub / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def step_runs(machine: Machine) -> bool:
    """Whether both processes of the step are there, and the runner has written down which they are."""
    return len(pids(machine)) == 2 and (machine.root / "run/trainyard/step").exists()


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except FileNotFoundError:
        return False


def start(machine: Machine) -> subprocess.Popen[str]:
    words = ["bootstrap", "--release", str(machine.release), "--folder", CLUSTER_FOLDER]
    return subprocess.Popen(
        machine.command(*words), env=machine.environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_step_that_takes_too_long_is_ended_with_all_that_it_started(machine: Machine):
    machine.plan(machine.step(10, "slow", STUBBORN, timeout_s=1))
    assert machine.bootstrap().returncode == 1
    assert len(pids(machine)) == 2
    wait_until(lambda: not any(lives(pid) for pid in pids(machine)))
    (step,) = machine.uploaded_record()["steps"]
    assert (step["status"], step["exit_status"]) == ("failed", None)
    assert "took longer than 1 s and was ended; the last it said is 'still installing'" in step["message"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_asked_to_end_it_ends_the_step_and_writes_the_record_first(machine: Machine, number: signal.Signals):
    machine.plan(machine.step(10, "slow", STUBBORN), machine.step(20, "two", ""))
    with start(machine) as process:
        wait_until(lambda: step_runs(machine))
        process.send_signal(number)
        # Whoever is impatient changes nothing: the step is ended in any case.
        time.sleep(1)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert f"ended by {number.name} before everything was done" in said
    wait_until(lambda: not any(lives(pid) for pid in pids(machine)))
    record = machine.uploaded_record()
    assert (record["status"], states(record)) == ("failed", {"slow": "failed"})


def test_after_kill_9_the_next_run_ends_what_was_left_and_succeeds(machine: Machine):
    machine.plan(machine.step(10, "slow", f"[[ ! -e $STUB/mended ]] || exit 0\n{STUBBORN}"))
    with start(machine) as process:
        wait_until(lambda: step_runs(machine))
        process.kill()
        process.wait()
    assert machine.record()["status"] == "running"
    assert machine.run("bootstrap-status").returncode == 1
    machine.tell("mended")
    ran = machine.bootstrap()
    assert ran.returncode == 0
    assert "ending a step that an earlier run left" in ran.stderr
    wait_until(lambda: not any(lives(pid) for pid in pids(machine)))
    assert [run["status"] for run in machine.record()["earlier"]] == ["interrupted"]


def test_a_process_that_only_has_the_number_of_a_former_step_is_left_alone(machine: Machine):
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as stranger:
        machine.write("run/trainyard/step", f"{stranger.pid} 1\n")
        assert machine.bootstrap().returncode == 0
        assert stranger.poll() is None
        stranger.kill()


def test_two_bootstraps_do_not_run_at_a_time(machine: Machine):
    machine.plan(machine.step(10, "slow", STUBBORN))
    with start(machine) as process:
        wait_until(lambda: step_runs(machine))
        ran = machine.bootstrap()
        assert (ran.returncode, ran.stderr) == (
            75, "trainyard: another bootstrap runs on this node: wait for its end\n"
        )  # fmt: skip
        assert machine.run("bootstrap-status").returncode == 3
        process.terminate()


def test_something_that_a_step_leaves_running_does_not_hold_up_the_bootstrap(machine: Machine):
    machine.plan(machine.step(10, "daemon", 'sleep 300 & echo $! > "$STUB/pids"; echo bye >&2'))
    assert machine.bootstrap().returncode == 0
    (daemon,) = pids(machine)
    assert lives(daemon)
    os.kill(daemon, signal.SIGKILL)


def test_uploads_that_hang_fail_no_node(machine: Machine):
    machine.tell("aws-hangs")
    machine.plan(machine.step(10, "one", ""))
    ran = machine.bootstrap()
    assert ran.returncode == 0
    assert "the record could not be uploaded" in ran.stderr
    assert machine.record()["status"] == "ready"


@pytest.fixture
def small_disk(machine: Machine):
    """Let the machine's root be a disk of 2 MiB. Mounting takes root: elsewhere no test can fill a disk."""
    if os.geteuid() != 0:
        pytest.skip("hardware: only root can mount a small disk")
    kept = {file: file.read_bytes() for file in machine.root.rglob("*") if file.is_file()}
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", machine.root], check=False)
    if mounted.returncode != 0:
        pytest.skip("hardware: this machine lets nobody mount a small disk")
    for file, content in kept.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    yield machine.root
    subprocess.run(["umount", machine.root], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        for size in (65536, 1):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue


def test_a_full_disk_is_one_clear_line_and_the_record_leaves_the_node_all_the_same(machine: Machine, small_disk: Path):
    fill(small_disk)
    ran = machine.bootstrap()
    assert ran.returncode == 1
    assert "node.env (No space left on device): make room for it" in ran.stderr.splitlines()[-1]
    assert machine.uploaded_record()["status"] == "failed"
    (small_disk / "filler").unlink()
    assert machine.bootstrap().returncode == 0


def test_a_step_that_fills_the_disk_fails_with_the_status_for_it(machine: Machine, small_disk: Path):
    machine.plan(machine.step(10, "big", 'head -c 4000000 /dev/zero | tr "\\0" x | put "$ROOT/big" 0644'))
    assert machine.bootstrap().returncode == 1
    (step,) = machine.uploaded_record()["steps"]
    assert step["exit_status"] == 73
    assert "no space left" in step["message"]
    assert sorted(file.name for file in small_disk.iterdir()) == ["etc", "opt", "run", "usr", "var"]


def test_a_disk_that_is_full_of_logs_does_not_stop_a_step(machine: Machine, small_disk: Path):
    (small_disk / "var/log/trainyard").mkdir(parents=True)
    machine.plan(
        machine.step(10, "loud", "for i in {1..1000}; do printf '%05000d\\n' 1 >&2; done; fail 1 'in the end'")
    )
    assert machine.bootstrap().returncode == 1
    assert machine.uploaded_record()["message"] == "loud: in the end"
