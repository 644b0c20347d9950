"""Bandwidth tests on Amazon EKS: one MPIJob after the other, results from the logs, and calls that go on with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platforms.eks.bench_jobs.eks_submissions import (
    FIRST,
    ONE_NODE,
    ONLY,
    PHASE_1,
    SECOND,
    SPEC,
    TABLE,
    THIRD,
    TWO_NODES,
    cluster,
    measured_eks,
    output,
    submitted,
)
from tests.platforms.eks.bench_jobs.scripted_operator import (
    AWAY,
    ScriptedEks,
    Step,
    ended,
    evicted,
    failed,
    pending,
    running,
    scripted_eks,
    succeeded,
    under_way,
)
from trainyard.api.bench_judge import judge_files
from trainyard.api.bench_submit import JobSelection, cancel_jobs, submit_jobs
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.render.bench.mpi_job import RUN, SUBMISSION
from trainyard.submission.submitted_jobs import FILE, read_submission_record


@pytest.fixture
def eks() -> Iterator[ScriptedEks]:
    with measured_eks() as made:
        yield made


def test_a_job_is_submitted_followed_fetched_and_judged(eks: ScriptedEks, tmp_path: Path):
    found, told = submitted(eks, tmp_path)
    (one,) = found.jobs
    assert found.good
    assert one.judged[0].judgement.verdict == "healthy"
    assert one.outcome.file == tmp_path / f"{TWO_NODES}_{one.outcome.number}.out"
    assert output(found) == list(TABLE)
    assert [line.partition(": ")[2] for line in told[1:]] == [
        'pending (all pods: Unschedulable: "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")',
        "configuring (all pods: ContainerCreating) on ip-10-0-16-6, ip-10-0-16-7",
        "running on ip-10-0-16-6, ip-10-0-16-7", "completed",
    ]  # fmt: skip


def test_what_is_applied_is_the_mpijob_of_the_plan_with_its_scripts_under_a_name_of_its_own(
    eks: ScriptedEks, tmp_path: Path
):
    submitted(eks, tmp_path)
    (made,) = eks.api.submitted
    memory = read_submission_record(tmp_path)
    assert memory is not None
    number = memory.jobs[TWO_NODES].number
    assert made["metadata"]["name"] == f"training-p2-all-reduce-2n-{number}"
    assert made["metadata"]["labels"] == {SUBMISSION: memory.token, RUN: number}
    assert made["spec"]["mpiReplicaSpecs"]["Worker"]["replicas"] == 2
    applied = next(one for one in eks.kubectl.asked if one[0] == "apply")
    assert applied == ("apply", ["trainyard-bench", made["metadata"]["name"]], True)


def test_the_results_are_read_as_those_of_slurm(eks: ScriptedEks, tmp_path: Path):
    submitted(eks, tmp_path)
    (judged,) = judge_files((str(tmp_path),), instance_type="p5.48xlarge", nodes=2)
    assert judged.judgement.verdict == "healthy"


def test_nothing_stays_in_the_cluster_of_a_test_that_came_to_its_end_unless_it_is_to_be_kept(
    eks: ScriptedEks, tmp_path: Path
):
    submitted(eks, tmp_path / "gone")
    assert eks.api.runs == []
    assert list((tmp_path / "gone").glob("*.part")) == []
    submitted(eks, tmp_path / "kept", keep=True)
    assert len(eks.api.runs) == 1


def test_a_log_that_the_node_puts_away_again_and_again_is_whole(eks: ScriptedEks, tmp_path: Path):
    eks.api.rotates = True
    found, _ = submitted(eks, tmp_path)
    assert [line for line in output(found) if not line.startswith("trainyard: lines may")] == list(TABLE)


def test_one_job_is_submitted_after_the_other_also_where_one_fails(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[ONE_NODE] = [under_way("trainyard: began"), failed(ended(3), "all_reduce_perf ended with status 3")]
    found, _ = submitted(eks, tmp_path, PHASE_1)
    (first, second) = found.jobs
    assert (first.outcome.state, first.outcome.reason, first.good) == ("FAILED", "launcher: exit code 3", False)
    assert first.outcome.file is not None
    assert first.outcome.file.read_text() == "trainyard: began\nall_reduce_perf ended with status 3\n"
    assert second.outcome.state == "COMPLETED"
    assert [one["metadata"]["annotations"]["trainyard/bench-job"] for one in eks.api.submitted] == [
        ONE_NODE, "training-p1-alltoall",
    ]  # fmt: skip
    assert [run["metadata"]["annotations"]["trainyard/bench-job"] for run in eks.api.runs] == [ONE_NODE]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (failed(ended(137, "OOMKilled")), "launcher: OOMKilled: exit code 137"),
        (failed(ended(1), workers=(running(), ended(137, "OOMKilled"))),
         "worker-1: OOMKilled: exit code 137; launcher: exit code 1"),
        (failed(running(), workers=(evicted("The node was low on resource: memory."), running()),
                reason="MPIJobEvicted"), 'worker-0: Evicted: "The node was low on resource: memory."'),
        (Step(None, None, ("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")),
         'DeadlineExceeded: "Job was active longer than specified deadline"'),
        (Step((ended(127), running())), "before the test began, worker-0: exit code 127"),
    ],
)  # fmt: skip
def test_a_job_that_fails_is_told_with_its_reason(eks: ScriptedEks, tmp_path: Path, step: Step, reason: str):
    eks.api.steps[TWO_NODES] = [under_way(), step]
    found, told = submitted(eks, tmp_path)
    (one,) = found.jobs
    assert (one.outcome.state, one.outcome.reason, found.good) == ("FAILED", reason, False)
    assert told[-1].startswith(f"{TWO_NODES}: failed ({reason})")


def test_what_a_launcher_said_before_a_time_limit_deleted_it_is_its_output(eks: ScriptedEks, tmp_path: Path):
    over = ("Failed", "DeadlineExceeded", "Job was active longer than specified deadline")
    eks.api.steps[TWO_NODES] = [
        under_way(*FIRST), Step((ended(137, "OOMKilled"), running()), None, over, says=("what a worker says",)),
    ]  # fmt: skip
    found, _ = submitted(eks, tmp_path)
    assert output(found) == list(FIRST)
    assert found.jobs[0].outcome.reason.endswith('specified deadline": worker-0: OOMKilled: exit code 137')


def test_workers_that_die_before_the_test_are_let_go_so_that_others_get_the_nodes(eks: ScriptedEks, tmp_path: Path):
    """The operator would keep the other workers, and wait for ever."""
    eks.api.steps[TWO_NODES] = [Step((ended(127), running()), says=("bash: /usr/sbin/sshd: No such file",))]
    found, _ = submitted(eks, tmp_path)
    assert eks.api.runs == []
    assert output(found) == ["bash: /usr/sbin/sshd: No such file"]


def test_a_job_that_failed_stays_to_be_looked_at_until_it_is_run_again(eks: ScriptedEks, tmp_path: Path):
    good = eks.api.steps[TWO_NODES]
    eks.api.steps[TWO_NODES] = [failed(ended(1), "no")]
    first, _ = submitted(eks, tmp_path)
    assert len(eks.api.runs) == 1
    eks.api.steps[TWO_NODES] = good
    second, _ = submitted(eks, tmp_path)
    assert (first.good, second.good, len(eks.api.submitted), eks.api.runs) == (False, True, 2, [])
    names = {one["metadata"]["name"] for one in eks.api.submitted}
    assert len(names) == 2
    assert len(list(tmp_path.glob("*.out.gz"))) == 1


def test_without_waiting_only_the_next_job_is_submitted_and_each_call_goes_on(eks: ScriptedEks, tmp_path: Path):
    """Two jobs at once could each hold one of two nodes for ever."""
    eks.api.steps[ONE_NODE] = [under_way(), succeeded()]
    found, told = submitted(eks, tmp_path, PHASE_1, wait=False)
    assert ([job.outcome.job.id for job in found.jobs], found.good) == ([ONE_NODE], True)
    assert told[-1] == "1 more are submitted once it has ended, by the same command"
    eks.api.steps["training-p1-alltoall"] = [under_way(), succeeded()]
    again, told = submitted(eks, tmp_path, PHASE_1, wait=False)
    assert [job.outcome.state for job in again.jobs] == ["COMPLETED", "PENDING"]
    assert len(eks.api.submitted) == 2


def test_a_second_call_goes_on_and_submits_nothing(eks: ScriptedEks, tmp_path: Path):
    submitted(eks, tmp_path, wait=False)
    found, _ = submitted(eks, tmp_path)
    assert (found.good, output(found), len(eks.api.submitted)) == (True, list(TABLE), 1)
    again, told = submitted(eks, tmp_path)
    assert (again.good, told, len(eks.api.submitted)) == (True, [], 1)


def test_a_job_that_was_submitted_and_not_remembered_is_found(eks: ScriptedEks, tmp_path: Path):
    """As where the call was killed between the two."""
    submitted(eks, tmp_path, wait=False)
    memory = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**memory, "jobs": {}}))
    found, told = submitted(eks, tmp_path)
    assert (found.good, len(eks.api.submitted)) == (True, 1)
    assert told[0] == f"{TWO_NODES}: submitted before as job {found.jobs[0].outcome.number}"


def test_a_call_that_was_killed_while_it_read_the_log_is_gone_on_with_line_by_line(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [under_way(*FIRST), Step(fails="killed"), under_way(*SECOND), succeeded(*THIRD)]
    with pytest.raises(TrainyardError, match="killed"):
        submitted(eks, tmp_path)
    (part,) = tmp_path.glob("*.part")
    with part.open("a") as stream:
        stream.write("2026-11-22T04:00:09.000000000Z half of a li")
    found, _ = submitted(eks, tmp_path)
    assert (found.good, output(found)) == (True, list(TABLE))


def test_what_a_killed_call_has_left_in_the_cluster_is_cleared_away_by_the_next(eks: ScriptedEks, tmp_path: Path):
    submitted(eks, tmp_path, keep=True)
    (tmp_path / "left.part").touch()
    assert len(eks.api.runs) == 1
    submitted(eks, tmp_path)
    assert eks.api.runs == []


def test_an_api_server_that_is_away_for_a_while_is_waited_out(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES][2:2] = [Step(fails=AWAY), Step(fails=AWAY)]
    found, told = submitted(eks, tmp_path)
    assert (found.good, output(found)) == (True, list(TABLE))
    assert len([line for line in told if line.endswith("trying again")]) == 2


def test_an_api_server_that_stays_away_ends_it_and_the_job_goes_on(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [under_way(*FIRST), Step(fails=AWAY)]
    with pytest.raises(UnreachableError, match="the Kubernetes API of lab cannot be reached"):
        submitted(eks, tmp_path)
    assert len(eks.api.runs) == 1
    eks.api.steps[TWO_NODES] = [succeeded(*SECOND, *THIRD)]
    found, _ = submitted(eks, tmp_path)
    assert (found.good, output(found)) == (True, list(TABLE))


def test_a_time_that_is_over_leaves_the_job_and_says_how_to_go_on(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [under_way()]
    with pytest.raises(TrainyardError, match=f"{TWO_NODES} not ended after 10 min") as told:
        submitted(eks, tmp_path, within_s=600)
    assert (len(eks.api.runs), "repeat the command" in str(told.value.hint)) == (1, True)


def test_jobs_are_taken_back(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [under_way(*FIRST)]
    with pytest.raises(TrainyardError):
        submitted(eks, tmp_path, within_s=60)
    assert cancel_jobs(cluster(eks), results=tmp_path) == [TWO_NODES]
    assert (eks.api.runs, list(tmp_path.glob("*.part"))) == ([], [])


def test_a_job_that_somebody_has_deleted_is_not_good(eks: ScriptedEks, tmp_path: Path):
    submitted(eks, tmp_path, wait=False)
    eks.api.objects = [object_ for object_ in eks.api.objects if object_["kind"] != "MPIJob"]
    found, _ = submitted(eks, tmp_path)
    outcome = found.jobs[0].outcome
    assert (outcome.state, outcome.reason, found.good) == ("CANCELLED", "somebody has deleted its MPIJob", False)


def test_a_run_that_is_being_deleted_is_not_gone_on_with(eks: ScriptedEks, tmp_path: Path):
    submitted(eks, tmp_path, wait=False)
    memory = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**memory, "jobs": {}}))
    eks.api.runs[0]["metadata"]["deletionTimestamp"] = "2026-11-22T04:00:00Z"
    found, _ = submitted(eks, tmp_path)
    assert (found.good, len(eks.api.submitted)) == (True, 2)


@pytest.mark.parametrize("tags", [{}, {"trainyard:cluster": "other"}])
def test_a_cluster_of_somebody_else_is_left_alone(tmp_path: Path, tags: dict[str, str]):
    with scripted_eks(tags) as eks:
        with pytest.raises(TrainyardError, match="the EKS cluster lab is not trainyard's"):
            submitted(eks, tmp_path)
        assert eks.kubectl.asked == []


def test_a_refusal_is_one_clear_error_and_nothing_is_remembered(eks: ScriptedEks, tmp_path: Path):
    eks.api.refuses = 'Error from server (Forbidden): nodes is forbidden: User "arn:aws:iam::1:role/x" cannot list'
    with pytest.raises(TrainyardError, match="is forbidden") as told:
        submitted(eks, tmp_path)
    memory = read_submission_record(tmp_path)
    assert "create-access-entry" in str(told.value.hint)
    assert memory is not None
    assert memory.jobs == {}


def test_a_sweep_of_our_own_is_for_slurm(eks: ScriptedEks, tmp_path: Path):
    with pytest.raises(InputError, match="lab runs its tests on Amazon EKS, where --backend has no meaning"):
        submitted(eks, tmp_path, JobSelection(backend="tcp"))
    assert list(tmp_path.iterdir()) == []


def test_a_spec_without_the_operator_is_refused(eks: ScriptedEks, tmp_path: Path):
    without = cluster(eks, spec=f"{SPEC}eks: {{operators: [training-operator]}}\n")
    with pytest.raises(InputError, match="lab has no MPI operator to run tests"):
        submit_jobs(without, ONLY, results=tmp_path)


def test_words_of_pods_that_command_a_terminal_or_never_end_stay_short_and_on_one_line(
    eks: ScriptedEks, tmp_path: Path
):
    hostile = "a\x1b[2J\nb" + "x" * 10_000
    eks.api.steps[TWO_NODES] = [pending(hostile), failed(ended(1, hostile))]
    found, told = submitted(eks, tmp_path)
    assert max(map(len, told)) < 500
    assert not any("\n" in line for line in told)
    assert not found.good
