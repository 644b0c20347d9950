"""What failed and works later is no failure, and what works before a failure does not hide it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnose.found import causes_of_line, matches_pattern
from trainyard.api.diagnose import Diagnosis, diagnose_files, has_errors
from trainyard.diagnose.cause import causes
from trainyard.diagnose.log_kind import kinds
from trainyard.diagnose.success import Success, successes

_REGISTRATION = "[2026-06-03T10:00:02.100] error: Unable to register: Unable to contact slurm controller"
_TASK = "[2026-06-03T10:01:22.900] Launching batch job 12 for UID 1001"
_RETRY = (
    "[2026-06-03T10:00:02+00:00] INFO: Retrying execution of ruby_block[retrieve compute node info], 4 attempts left"
)
_FATAL = "[2026-06-03T10:00:09+00:00] FATAL: Chef::Exceptions::FileNotFound: template[a] (a::b line 5) had an error"
_COMPLETE = "[2026-06-03T10:03:12+00:00] INFO: Cinc Client Run complete in 181.2 seconds"
SUCCESSES = [pytest.param(success, id=success.id) for success in successes().values()]


def of_lines(folder: Path, name: str, *lines: str) -> Diagnosis:
    log = folder / name
    log.write_text("".join(f"{line}\n" for line in lines))
    return diagnose_files(str(log))


@pytest.mark.parametrize("success", SUCCESSES)
def test_a_success_finds_its_lines_ends_what_there_is_and_is_no_failure(success: Success):
    assert [line for line in success.matches if not matches_pattern(success.pattern, line)] == []
    assert [line for line in success.resembles if matches_pattern(success.pattern, line)] == []
    assert set(success.causes) <= causes().keys()
    assert set(success.subjects) <= {cause.subject for cause in causes().values()}
    assert set(success.logs) <= set(kinds())
    assert [line for line in success.matches if causes_of_line(line)] == []


@pytest.mark.parametrize(("name", "failure", "success"), [
    ("slurmd", _REGISTRATION, _TASK), ("chef-client", _RETRY, _COMPLETE),
])  # fmt: skip
def test_a_retry_that_succeeds_is_history(tmp_path: Path, name: str, failure: str, success: str):
    diagnosis = of_lines(tmp_path, name, failure, failure, success)
    assert diagnosis.causes == ()
    assert [(one.count, one.evidence[0].text) for one in diagnosis.repaired] == [(2, failure)]


def test_what_fails_after_a_success_is_a_failure(tmp_path: Path):
    diagnosis = of_lines(tmp_path, "chef-client", _COMPLETE, _RETRY)
    assert has_errors(diagnosis)
    assert diagnosis.repaired == ()


def test_what_fails_again_after_a_success_is_told_with_the_lines_that_are_left(tmp_path: Path):
    diagnosis = of_lines(tmp_path, "slurmd", _REGISTRATION, _TASK, _REGISTRATION)
    (first,) = diagnosis.causes
    assert [hit.line for hit in first.evidence] == [1, 3]


def test_a_success_of_another_log_proves_nothing(tmp_path: Path):
    (tmp_path / "slurmd").write_text(f"{_REGISTRATION}\n")
    (tmp_path / "slurmd-2").write_text(f"{_TASK}\n")
    assert has_errors(diagnose_files(str(tmp_path)))


def test_a_failure_that_nobody_tries_again_is_not_ended_by_a_success_that_need_not_know_of_it(tmp_path: Path):
    failure = "Error: Unable to find a match: lustre-client"
    assert has_errors(of_lines(tmp_path, "cloud-init-output", failure, "Complete!"))


def test_a_success_is_found_when_it_comes_long_after_the_failure(tmp_path: Path):
    quiet = "[2026-06-03T10:01:00.900] debug:  nothing to do, and more words so that pieces are soon full"
    diagnosis = of_lines(tmp_path, "slurmd", _REGISTRATION, *[quiet] * 30_000, _TASK)
    assert (diagnosis.causes, len(diagnosis.repaired)) == ((), 1)


def test_a_fatal_error_of_a_former_run_is_over_when_chef_is_complete(tmp_path: Path):
    assert not has_errors(of_lines(tmp_path, "chef-client", _FATAL, _COMPLETE))
    assert has_errors(of_lines(tmp_path, "chef-client", _FATAL))


def test_a_success_of_another_node_proves_nothing(tmp_path: Path):
    retry = "Retrying execution of ruby_block[retrieve compute node info], 4 attempts left"
    failures = [f"Jun  3 10:00:0{second} ip-10-0-0-{second} cinc: INFO: {retry}" for second in (1, 2)]
    done = [
        f"Jun  3 10:05:0{second} ip-10-0-0-{second} cinc: INFO: Cinc Client Run complete in 9 s" for second in (1, 2)
    ]
    one = of_lines(tmp_path, "chef-client", *failures, done[0])
    both = of_lines(tmp_path, "chef-client.1", *failures, *done)
    assert [cause.by_node for cause in one.causes] == [{"ip-10-0-0-2": 1}]
    assert (both.causes, [cause.count for cause in both.repaired]) == ((), [2])


def test_a_pod_that_starts_proves_nothing_of_another(tmp_path: Path):
    failures = [
        f"9m  Warning  FailedCreatePodSandBox  pod/{name}  failed to assign an IP address to container"
        for name in ("a-0", "a-1")
    ]
    started = [f"5m  Normal  Started  pod/{name}  Started container trainer" for name in ("a-0", "a-1")]
    one = of_lines(tmp_path, "kubernetes-events", failures[0], started[0], failures[1])
    assert [hit.text for hit in one.causes[0].evidence] == [failures[1]]
    assert not has_errors(of_lines(tmp_path, "kubernetes-events.1", failures[0], started[0], failures[1], started[1]))
