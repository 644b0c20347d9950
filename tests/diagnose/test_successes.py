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
_WARN = "ip-10-0-3-8:79:93 [0] net_ib.cc:75 NCCL WARN NET/IB : The moon is full"
_INIT = "ip-10-0-3-8:79:79 [0] NCCL INFO ncclCommInitRank comm 0x6 rank 0 nranks 2 cudaDev 0 - Init COMPLETE"
_RESPONDS = "[2026-06-02T09:14:31.870] Node train-1 now responding"
_SET_UP = "Setting up jq (1.6-2.1ubuntu3) ..."
_MUNGE = "Jun 03 10:00:31 ip-10-0-1-7 systemd[1]: Started munge.service - MUNGE authentication service."
_REACHED = "Warning: Permanently added '[10.0.3.9]:2022' (ED25519) to the list of known hosts."
_NO_NAME = "curl: (6) Could not resolve host: assets.s3.us-east-1.amazonaws.com"
_FINISHED = "Cloud-init v. 24.1.3 finished at Thu, 07 May 2026 10:00:09 +0000. Datasource DataSourceEc2Local."
_NOT_MOUNTED = "May  7 10:00:00 ip-10-0-1-1 mount[901]: mount.nfs: Connection refused"
_NOT_STARTED = (
    "May  7 10:00:00 ip-10-0-1-1 systemd[1]: slurmd.service: Main process exited, code=exited, status=1/FAILURE"
)
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
    assert {*success.subjects, *success.whole_subjects} <= {cause.subject for cause in causes().values()}
    assert set(success.logs) <= set(kinds())
    assert {cause.severity for line in success.matches for cause in causes_of_line(line)} <= {"harmless"}


@pytest.mark.parametrize(("name", "failure", "success"), [
    ("slurmd", _REGISTRATION, _TASK), ("chef-client", _RETRY, _COMPLETE),
    ("slurm-7.out", _WARN, _INIT),
    ("slurmctld", "[2026-06-02T09:14:01.003] error: Nodes train-1 not responding", _RESPONDS),
    ("cloud-init-output", "E: Could not get lock /var/lib/dpkg/lock. It is held by process 812 (apt)", _SET_UP),
    ("syslog", "Jun 03 10:00:02 ip-10-0-1-7 munged[9]: munged: Error: Failed to compute cipher subkey", _MUNGE),
    ("slurm-7.out", "ssh: connect to host 10.0.3.9 port 2022: Connection refused", _REACHED),
    ("cloud-init-output", f"{_NO_NAME}\nWill retry in 1 seconds. 5 retries left.", _FINISHED),
    ("cloud-init-output", _NO_NAME, "Receiving objects: 100% (412/412), done."),
    ("syslog", _NOT_MOUNTED, "May  7 10:00:31 ip-10-0-1-1 systemd[1]: Mounted home.mount - /home."),
    ("syslog", _NOT_STARTED, "May  7 10:00:06 ip-10-0-1-1 systemd[1]: Started slurmd.service - Slurm node daemon."),
    ("slurm-7.out", "An error occurred (Locked) when calling the PutItem operation: no; will retry", "exit code 0"),
])  # fmt: skip
def test_a_retry_that_succeeds_is_history(tmp_path: Path, name: str, failure: str, success: str):
    diagnosis = of_lines(tmp_path, name, failure, failure, success)
    assert diagnosis.causes == ()
    assert [(one.count, one.evidence[0].text) for one in diagnosis.repaired] == [(2, failure.partition("\n")[0])]


@pytest.mark.parametrize(("name", "failure", "success"), [
    ("cloud-init-output", f"{_NO_NAME}\nWill retry in 1 seconds. 0 retries left.", _FINISHED),
    ("cloud-init-output", _NO_NAME, _FINISHED),
    ("syslog", "mount.lustre: mount fs-0a.fsx.us-east-1.amazonaws.com@tcp:/a at /fsx failed: Connection timed out",
     "May  7 10:00:31 ip-10-0-1-1 systemd[1]: Mounted home.mount - /home."),
    ("syslog", _NOT_STARTED, "May  7 10:00:06 ip-10-0-1-1 systemd[1]: Started sshd.service - OpenSSH server."),
])  # fmt: skip
def test_what_is_given_up_or_is_another_thing_is_not_ended(tmp_path: Path, name: str, failure: str, success: str):
    assert has_errors(of_lines(tmp_path, name, failure, success))


def test_a_frame_is_history_with_the_cause_that_tells_more_of_its_line(tmp_path: Path):
    refused = (
        "2026-05-07 10:00:05,100 - [slurm_plugin.clustermgtd:_get_ec2_instances] - WARNING - Failed when getting "
        "instance info from EC2 with exception An error occurred (RequestLimitExceeded) when calling the "
        "DescribeInstances operation"
    )
    listed = (
        "[slurm_plugin.clustermgtd:_perform_health_check_actions] - INFO - Performing instance health check actions"
    )
    assert not has_errors(of_lines(tmp_path, "clustermgtd", refused, f"2026-05-07 10:01:05,100 - {listed}"))


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


def test_an_exit_code_of_nought_ends_only_what_is_tried_again(tmp_path: Path):
    failure = "An error occurred (Locked) when calling the PutItem operation: no"
    assert has_errors(of_lines(tmp_path, "slurm-7.out", failure, "exit code 0"))


def test_a_node_that_responds_and_a_host_that_is_reached_prove_nothing_of_others(tmp_path: Path):
    failure = "[2026-06-02T09:14:01.003] error: Nodes train-2 not responding"
    assert of_lines(tmp_path, "slurmctld", failure, _RESPONDS).repaired == ()
    failure = "ssh: connect to host 10.0.3.10 port 2022: Connection refused"
    assert of_lines(tmp_path, "slurm-7.out", failure, _REACHED).repaired == ()


def test_of_pods_without_names_each_has_its_own_end_and_its_own_count(tmp_path: Path):
    failed = (
        "  Warning  FailedCreatePodSandBox  4m  kubelet  Failed to create pod sandbox: failed to assign an IP address"
    )
    failed += " to container"
    started = "  Normal   Started                 1m  kubelet  Started container worker"
    log = tmp_path / "kubectl-describe.txt"
    log.write_text("\n".join([failed, *["Field: value"] * 40, failed, started]) + "\n")
    diagnosis = diagnose_files(str(log))
    (cause,), (repaired,) = diagnosis.causes, diagnosis.repaired
    assert [(one.count, one.evidence[0].line) for one in (cause, repaired)] == [(1, 1), (1, 42)]
