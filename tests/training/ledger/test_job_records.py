"""What sacct, AWS Batch and Kubernetes print becomes starts with their nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainyard.errors import InputError
from trainyard.training.ledger.job_records import job_records
from trainyard.training.ledger.slurm_jobs import host_names

NOW_MS = 1_780_100_000_000
TABLE = """\
JobIDRaw|JobName|State|Eligible|Start|End|NodeList|AllocTRES|Restarts|
7|llama|NODE_FAIL|2026-11-20T09:00:00|2026-11-20T10:00:00|2026-11-20T11:00:00|p5-[01-02]|cpu=384,gres/gpu=16,node=2|0|
7.batch|batch|CANCELLED||2026-11-20T10:00:00|2026-11-20T11:00:00|p5-01|cpu=192||
7|llama|CANCELLED by 1000|2026-11-20T11:00:05|2026-11-20T11:10:00|2026-11-20T12:00:00|p5-[02,04]|gres/gpu:h100=16|1|
8|it's|PENDING|2026-11-20T11:00:05|Unknown|Unknown|None assigned|||
"""


def job(**changed: Any) -> str:
    known = {"job_id": 7, "name": "llama", "nodes": "p5-[1-2]", "restart_cnt": 1,
             "state": {"current": ["NODE_FAIL"]}, "time": {"start": 1_780_000_000, "end": 1_780_003_600,
             "eligible": 1_779_999_000}, "tres": {"allocated": [{"type": "cpu", "count": 9},
             {"type": "gres", "name": "gpu", "count": 16}]}}  # fmt: skip
    return json.dumps({"jobs": [{**known, **changed}]})


def test_a_table_of_sacct_has_each_start_of_a_job_and_no_steps() -> None:
    starts = job_records(TABLE, "sacct.txt", NOW_MS).attempts
    assert [(start.restart, start.has_failed, start.gpus) for start in starts] == [
        (0, True, {"p5-01": 8, "p5-02": 8}),
        (1, False, {"p5-02": 8, "p5-04": 8}),
    ]
    assert [(start.end_ms - start.begin_ms) // 60_000 for start in starts] == [60, 50]


@pytest.mark.parametrize(
    "changed",
    [{}, {"state": "NODE_FAIL"}, {"state": {"current": "NODE_FAIL"}}, {"restart_cnt": {"set": True, "number": 1}}],
    ids=["25.11", "text", "one state", "packed number"],
)
def test_json_of_sacct_is_read_in_the_forms_it_has_had(changed: dict[str, Any]) -> None:
    (start,) = job_records(job(**changed), "-", NOW_MS).attempts
    assert (start.job, start.restart, start.has_failed, start.gpu_count) == ("7", 1, True, 16)
    assert (start.begin_ms, start.submitted_ms) == (1_780_000_000_000, 1_779_999_000_000)


def test_a_job_that_runs_ends_now() -> None:
    (start,) = job_records(job(state={"current": ["RUNNING"]}, time={"start": 1_780_000_000, "end": 0}), "-", NOW_MS)[0]
    assert (start.is_running, start.end_ms) == (True, NOW_MS)


def test_gpus_that_accounting_does_not_know_are_those_of_the_nodes() -> None:
    (start,) = job_records(job(tres={}), "-", NOW_MS, gpus_a_node=4).attempts
    assert start.gpus == {"p5-1": 4, "p5-2": 4}


def test_pods_of_a_run_that_run_at_once_are_one_start() -> None:
    pods = [{"kind": "Pod", "metadata": {"name": f"r-worker-{index}", "creationTimestamp": "2026-11-20T09:59:00Z",
             "labels": {"training.kubeflow.org/job-name": "r"}}, "spec": {"nodeName": f"ip-{index}", "containers": [
             {"resources": {"limits": {"nvidia.com/gpu": "8"}}}]}, "status": {"phase": "Succeeded", "startTime":
             "2026-11-20T10:00:00Z", "containerStatuses": [{"state": {"terminated": {"finishedAt":
             "2026-11-20T11:00:00Z"}}}]}} for index in range(3)]  # fmt: skip
    (start,) = job_records(json.dumps({"items": pods}), "-", NOW_MS).attempts
    assert (start.run, start.gpu_count, start.state) == ("r", 24, "COMPLETED")
    assert start.end_ms - start.begin_ms == 3_600_000


def pod(name: str, node: str, begin: str, end: str | None, **status: Any) -> dict[str, Any]:
    ended = {"containerStatuses": [{"state": {"terminated": {"finishedAt": f"2026-11-20T{end}Z"}}}]} if end else {}
    return {"kind": "Pod", "metadata": {"name": name, "uid": f"{name} {begin}", "labels":
            {"training.kubeflow.org/job-name": "r"}, "creationTimestamp": f"2026-11-20T{begin}Z"},
            "spec": {"nodeName": node, "containers": [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]},
            "status": {"phase": "Failed", "startTime": f"2026-11-20T{begin}Z", **ended, **status}}  # fmt: skip


def test_a_pod_that_takes_the_place_of_one_that_failed_begins_another_start_of_all() -> None:
    pods = [pod("w-0", "a", "10:00:00", "12:00:00", phase="Succeeded"), pod("w-1", "b", "10:00:00", "11:00:00"),
            pod("w-1", "c", "11:05:00", "12:00:00", phase="Succeeded")]  # fmt: skip
    first, second = job_records(json.dumps({"items": pods}), "-", NOW_MS).attempts
    assert (first.gpus, first.restart, first.has_failed) == ({"a": 4, "b": 4}, 0, True)
    assert (second.gpus, second.restart, second.has_failed) == ({"a": 4, "c": 4}, 1, False)
    assert (first.end_ms, second.end_ms - first.begin_ms) == (second.begin_ms, 2 * 3_600_000)


def of_job_set(index: int, begin: str, end: str | None, attempt: str = "0", uid: str = "x", **status: Any) -> Any:
    made = pod(f"r-worker-0-{index}-{begin}", f"n{index}-{uid}", begin, end, **status)
    prefix, of_job = "jobset.sigs.k8s.io/", "batch.kubernetes.io/job-"
    made["metadata"]["labels"] = {f"{prefix}jobset-name": "r", f"{prefix}jobset-uid": uid, f"{of_job}name":
                                  "r-worker-0", f"{of_job}completion-index": str(index),
                                  f"{prefix}restart-attempt": attempt}  # fmt: skip
    return made


def of_pods(*pods: Any) -> list[tuple[int, int, int, str]]:
    """Return of each start its number, the minutes it took, its GPUs and its state."""
    starts = job_records(json.dumps({"items": pods}), "-", NOW_MS).attempts
    return [
        (start.restart, (start.end_ms - start.begin_ms) // 60_000, start.gpu_count, start.state) for start in starts
    ]


def test_a_job_set_that_is_submitted_again_while_its_pods_still_end_is_another_start() -> None:
    taken_back = of_job_set(0, "00:00:00", None, phase="Running")
    taken_back["metadata"]["deletionTimestamp"] = "2026-11-20T10:05:00Z"
    again = of_job_set(0, "10:00:20", "20:00:20", uid="y", phase="Succeeded")
    assert of_pods(again, taken_back) == [(0, 605, 4, "Running"), (0, 600, 4, "COMPLETED")]


def test_pods_of_one_start_of_a_job_set_need_not_have_been_there_at_once() -> None:
    waited = [of_job_set(0, "10:00:00", "10:10:00"), of_job_set(1, "10:11:00", "10:12:00")]
    after = [of_job_set(index, "10:13:00", "11:13:00", attempt="1") for index in (0, 1)]
    assert of_pods(*after, *waited) == [(0, 12, 8, "FAILED"), (1, 60, 8, "FAILED")]


def test_within_a_start_of_a_job_set_a_pod_in_the_place_of_another_begins_all_anew() -> None:
    failed = [of_job_set(0, "10:00:00", "10:10:00"), of_job_set(0, "10:09:00", "11:00:00", phase="Succeeded")]
    staying = of_job_set(1, "10:00:00", "11:00:00", phase="Succeeded")
    assert of_pods(*failed, staying) == [(0, 9, 8, "REQUEUED"), (0, 51, 8, "COMPLETED")]


@pytest.mark.parametrize("attempt", ["²", "٣", "9" * 60, "", "-1"])
def test_a_number_of_a_start_that_is_none_is_read_as_none(attempt: str) -> None:
    told = of_job_set(0, "10:00:00", "11:00:00", attempt=attempt)
    told["metadata"]["creationTimestamp"] = attempt
    assert of_pods(told) == [(0, 60, 4, "FAILED")]


def test_pods_that_share_a_node_are_one_start() -> None:
    pods = [pod(f"w-{index}", "a", "10:00:00", "11:00:00") for index in range(2)]
    (start,) = job_records(json.dumps({"items": pods}), "-", NOW_MS).attempts
    assert start.gpus == {"a": 8}


def test_a_pod_that_was_evicted_does_not_run_on() -> None:
    told = [{"type": "DisruptionTarget", "lastTransitionTime": "2026-11-20T10:30:00Z"}]
    text = json.dumps(pod("w-0", "a", "10:00:00", None, conditions=told))  # as kubectl prints one pod
    (start,) = job_records(text, "-", NOW_MS).attempts
    assert (start.is_running, start.end_ms - start.begin_ms) == (False, 30 * 60_000)


def test_parts_of_a_heterogeneous_job_are_one_start() -> None:
    header = "JobID|JobIDRaw|JobName|State|Eligible|Start|End|NodeList|AllocTRES\n"
    lines = [f"4+{at}|{4 + at}|het|COMPLETED|2026-11-20T09:00:00|2026-11-20T10:00:00|2026-11-20T11:00:00|n{at}|"
             f"gres/gpu={4 - at}\n" for at in range(2)]  # fmt: skip
    (start,) = job_records(header + "".join(lines), "-", NOW_MS).attempts
    assert (start.job, start.gpus) == ("4", {"n0": 4, "n1": 3})
    parts = [json.loads(job(job_id=4 + at, nodes=f"n{at}", het={"job_id": 4, "job_offset": at})) for at in range(2)]
    (start,) = job_records(json.dumps({"jobs": [part["jobs"][0] for part in parts]}), "-", NOW_MS).attempts
    assert (start.job, start.gpus) == ("4", {"n0": 16, "n1": 16})


def test_a_job_with_the_sign_between_columns_in_its_name_is_left_out_and_told_of() -> None:
    table = TABLE + "9|a|b|COMPLETED|2026-11-20T09:00:00|2026-11-20T10:00:00|2026-11-20T11:00:00|n1|gres/gpu=8|0|\n"
    records = job_records(table, "-", NOW_MS)
    assert [start.job for start in records.attempts] == ["7", "7"]
    assert "1 line of sacct without 10 columns left out" in records.notes[0]


def test_a_restart_waits_from_when_its_job_went_into_the_queue_again() -> None:
    times = {"start": 1_780_000_500, "end": 1_780_000_600, "eligible": 1_780_000_120, "submission": 1_780_000_000}
    (start,) = job_records(job(time=times, restart_cnt=1), "-", NOW_MS).attempts
    assert start.submitted_ms == 1_780_000_000_000
    (start,) = job_records(job(time=times, restart_cnt=0), "-", NOW_MS).attempts
    assert start.submitted_ms == 1_780_000_120_000


def test_a_job_of_aws_batch_says_of_its_nodes_what_they_do_not_say_themselves() -> None:
    ranges = [{"targetNodes": nodes, "container": {"resourceRequirements": [{"type": "GPU", "value": value}]}}
              for nodes, value in (("0", "4"), ("1:", "8"))]  # fmt: skip
    text = json.dumps({"jobs": [{"jobId": "a", "jobName": "r", "status": "RUNNING", "startedAt": 1_780_000_090_000,
                       "attempts": [{"startedAt": 1_780_000_000_000, "stoppedAt": 1_780_000_060_000}],
                       "nodeProperties": {"numNodes": 3, "nodeRangeProperties": ranges}}]})  # fmt: skip
    first, second = job_records(text, "-", NOW_MS).attempts
    assert (first.gpu_count, first.has_failed, second.is_running, second.gpu_count) == (20, True, True, 20)


def test_attempts_of_aws_batch_are_starts_of_all_nodes() -> None:
    wants = {"resourceRequirements": [{"type": "GPU", "value": "8"}]}
    tried = [{"startedAt": 1_780_000_000_000, "stoppedAt": 1_780_000_060_000},
             {"startedAt": 1_780_000_090_000, "stoppedAt": 1_780_000_190_000}]  # fmt: skip
    node = {
        "jobName": "r",
        "status": "SUCCEEDED",
        "createdAt": 1_779_999_000_000,
        "container": wants,
        "attempts": tried,
    }
    jobs = [{"jobId": "a", "nodeProperties": {"numNodes": 2}}, {"jobId": "a#0", **node}, {"jobId": "a#1", **node}]
    starts = job_records(json.dumps({"jobs": jobs}), "-", NOW_MS).attempts
    assert [(start.restart, start.gpu_count, start.has_failed) for start in starts] == [(0, 16, True), (1, 16, False)]


@pytest.mark.parametrize("text", ["", "x", "{", "{}", '{"jobs": 3}', "JobID|Start\n", "[" * 9000])
def test_what_is_no_record_of_jobs_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        job_records(text, "file", NOW_MS)


@pytest.mark.parametrize(
    ("hostlist", "names"),
    [("a-[08-10,3],b", ["a-08", "a-09", "a-10", "a-3", "b"]), ("None assigned", []), ("", []), ("a[1-x],b", ["b"])],
)
def test_hostlists_are_expanded(hostlist: str, names: list[str]) -> None:
    assert host_names(hostlist) == names
