"""What sacct, AWS Batch and Kubernetes print becomes starts with their nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainyard.errors import InputError
from trainyard.training.ledger.job_records import host_names, job_records

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
