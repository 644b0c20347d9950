"""Pods of a run are kept from look to look, so that the report knows those that others have replaced."""

from __future__ import annotations

import json
from cProfile import Profile
from pathlib import Path
from typing import Any

import pytest

from trainyard.api.run_report import report_run
from trainyard.errors import InputError
from trainyard.training.ledger.kept_pods import FILE, keep_pods

BEGIN_S = 1_795_000_000


def pod(uid: str, node: str, at_s: int) -> dict[str, Any]:
    begun = f"2026-11-18T{(at_s - 1_794_960_000) // 3600:02}:{at_s // 60 % 60:02}:{at_s % 60:02}Z"
    return {
        "metadata": {"name": f"llm-{node}", "uid": uid, "creationTimestamp": begun,
                     "labels": {"training.kubeflow.org/job-name": "llm"}},
        "spec": {"nodeName": node, "containers": [{"resources": {"limits": {"nvidia.com/gpu": "8"}},
                                                   "env": [{"name": "TOKEN", "value": "hush"}], "args": ["hush"]}]},
        "status": {"phase": "Running", "startTime": begun},
    }  # fmt: skip


def test_a_pod_that_is_gone_has_had_its_node_until_then(tmp_path: Path):
    first, second, third = pod("a", "n1", BEGIN_S), pod("b", "n2", BEGIN_S), pod("c", "n3", BEGIN_S + 600)
    keep_pods(tmp_path, [first, second], BEGIN_S + 60)
    keep_pods(tmp_path, [first, third], BEGIN_S + 600)
    keep_pods(tmp_path, [first, third], BEGIN_S + 660)
    keep_pods(tmp_path, [], BEGIN_S + 1200)
    (told,) = report_run(jobs=str(tmp_path / FILE), now_s=BEGIN_S + 9999)["runs"]
    # When the second pod went is known to the look that misses it, and with its successor all began anew.
    assert told["gpu_hours"] == pytest.approx(2 * 8 * 1200 / 3600)
    assert [start["end_ms"] - start["begin_ms"] for start in told["attempts"]] == [600_000, 600_000]
    assert ([start["state"] for start in told["attempts"]], told["interruptions"]) == (["FAILED", "CANCELLED"], 1)


def of_job_set(uid: str, attempt: int, at_s: int, job_set: str = "x", **metadata: str) -> dict[str, Any]:
    made = pod(uid, uid, at_s)
    labels = {"jobset.sigs.k8s.io/jobset-name": "llm", "jobset.sigs.k8s.io/jobset-uid": job_set,
              "jobset.sigs.k8s.io/restart-attempt": str(attempt)}  # fmt: skip
    made["metadata"] |= {"labels": labels, **metadata}
    return made


@pytest.mark.parametrize("looks_between", [(), (BEGIN_S + 590,)])
def test_pods_of_a_job_set_have_ended_when_the_next_start_began(tmp_path: Path, looks_between: tuple[int, ...]):
    keep_pods(tmp_path, [of_job_set("a", 0, BEGIN_S), of_job_set("b", 0, BEGIN_S)], BEGIN_S + 60)
    for look_s in looks_between:
        keep_pods(tmp_path, [], look_s)
    seconds = [of_job_set("c", 1, BEGIN_S + 600), of_job_set("d", 1, BEGIN_S + 600)]
    keep_pods(tmp_path, seconds, BEGIN_S + 1000)
    keep_pods(tmp_path, [], BEGIN_S + 1200)
    (told,) = report_run(jobs=str(tmp_path / FILE), now_s=BEGIN_S + 9999)["runs"]
    starts = told["attempts"]
    assert [start["end_ms"] - start["begin_ms"] for start in starts] == [590_000 if looks_between else 600_000, 600_000]
    assert [(start["restart"], start["state"]) for start in starts] == [(0, "FAILED"), (1, "CANCELLED")]
    assert told["interruptions"] == 1


def test_a_pod_that_was_gone_sooner_than_it_had_to_be_has_ended_then(tmp_path: Path):
    told_until = "2026-11-18T23:59:59Z"  # its time to write a checkpoint is counted in
    keep_pods(tmp_path, [of_job_set("a", 0, BEGIN_S, deletionTimestamp=told_until)], BEGIN_S + 60)
    keep_pods(tmp_path, [of_job_set("b", 1, BEGIN_S + 100)], BEGIN_S + 110)
    (told,) = report_run(jobs=str(tmp_path / FILE), now_s=BEGIN_S + 200)["runs"]
    assert [start["end_ms"] - start["begin_ms"] for start in told["attempts"]] == [100_000, 100_000]


def test_a_run_that_was_taken_back_and_submitted_again_was_not_interrupted(tmp_path: Path):
    keep_pods(tmp_path, [of_job_set("a", 0, BEGIN_S)], BEGIN_S + 60)
    keep_pods(tmp_path, [], BEGIN_S + 100)
    keep_pods(tmp_path, [of_job_set("b", 0, BEGIN_S + 600, job_set="y")], BEGIN_S + 610)
    (told,) = report_run(jobs=str(tmp_path / FILE), now_s=BEGIN_S + 700)["runs"]
    assert (told["attempts"][0]["state"], told["interruptions"]) == ("CANCELLED", 0)


def test_a_run_that_is_submitted_again_while_its_pods_still_end_has_each_node_for_its_own_time(tmp_path: Path):
    keep_pods(tmp_path, [of_job_set("n1", 0, BEGIN_S)], BEGIN_S + 60)
    again = of_job_set("n2", 0, BEGIN_S + 7220, job_set="y")
    until = "2026-11-18T13:11:40Z"  # BEGIN_S + 7500
    keep_pods(tmp_path, [of_job_set("n1", 0, BEGIN_S, deletionTimestamp=until), again], BEGIN_S + 7230)
    keep_pods(tmp_path, [again], BEGIN_S + 7240)
    keep_pods(tmp_path, [], BEGIN_S + 7220 + 7200)
    (told,) = report_run(jobs=str(tmp_path / FILE), now_s=BEGIN_S + 99_999)["runs"]
    assert told["gpu_hours"] == pytest.approx(8 * (7240 + 7200) / 3600)
    assert ([start["state"] for start in told["attempts"]], told["interruptions"]) == (["CANCELLED"] * 2, 0)


def test_a_look_takes_twice_as_long_for_twice_as_many_pods(tmp_path: Path):
    def calls(nodes: int) -> int:
        folder = tmp_path / str(nodes)
        for attempt in range(3):
            pods = [of_job_set(f"{node}-{attempt}", attempt, BEGIN_S + 600 * attempt) for node in range(nodes)]
            keep_pods(folder, pods, BEGIN_S + 600 * attempt + 60)
        profile = Profile()
        profile.runcall(keep_pods, folder, pods, BEGIN_S + 1500)
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(80) < 2.2 * calls(40)


def test_a_number_of_a_start_that_is_none_is_kept_as_a_pod_of_another_job(tmp_path: Path):
    told = of_job_set("a", 0, BEGIN_S)
    told["metadata"]["labels"]["jobset.sigs.k8s.io/restart-attempt"] = "²"
    keep_pods(tmp_path, [told], BEGIN_S + 60)
    keep_pods(tmp_path, [], BEGIN_S + 90)
    assert json.loads((tmp_path / FILE).read_text())["items"][0]["status"]["phase"] == "Cancelled"


def test_nothing_that_may_be_secret_is_kept(tmp_path: Path):
    keep_pods(tmp_path, [pod("a", "n1", BEGIN_S)], BEGIN_S)
    assert "hush" not in (tmp_path / FILE).read_text()


def test_without_pods_nothing_is_written(tmp_path: Path):
    keep_pods(tmp_path, [], BEGIN_S)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", '{"items": 1}', '{"items": [{}]}', "[" * 100_000])
def test_what_cannot_be_read_is_left_as_it_is(tmp_path: Path, text: str):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match="cannot be read"):
        keep_pods(tmp_path, [pod("a", "n1", BEGIN_S)], BEGIN_S)
    assert (tmp_path / FILE).read_text() == text


def test_the_report_takes_what_was_kept_where_the_run_was_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    keep_pods(Path("runs/llm"), [pod("a", "n1", BEGIN_S)], BEGIN_S)
    Path("cluster.yaml").write_text(
        "name: lab\nregion: us-east-2\nplatform: eks\nqueues: [{name: gpus, instance_type: p5.48xlarge, nodes: 2}]\n"
    )
    Path("run.yaml").write_text(
        "kind: run\nname: llm\ncluster: cluster.yaml\nnodes: 1\nprogram: {script: train.sh}\ntime_limit_h: 1\n"
    )
    (told,) = report_run("run.yaml", now_s=BEGIN_S + 3600)["runs"]
    assert told["gpu_hours"] == pytest.approx(8)


def test_the_kept_file_is_a_list_as_kubectl_prints_it(tmp_path: Path):
    keep_pods(tmp_path, [pod("a", "n1", BEGIN_S)], BEGIN_S)
    assert json.loads((tmp_path / FILE).read_text())["kind"] == "List"


def test_a_pod_was_gone_when_the_next_of_its_name_was_made_whoever_looked(tmp_path: Path):
    keep_pods(tmp_path, [pod("a", "n1", BEGIN_S)], BEGIN_S + 60)
    second = pod("b", "n1", BEGIN_S + 3600)
    keep_pods(tmp_path, [second], BEGIN_S + 36_000)
    first, _ = json.loads((tmp_path / FILE).read_text())["items"]
    assert first["metadata"]["deletionTimestamp"] == second["metadata"]["creationTimestamp"]


def test_the_end_of_a_log_is_not_kept(tmp_path: Path):
    told = pod("a", "n1", BEGIN_S)
    ended = {"exitCode": 1, "message": "HF_TOKEN=hush", "finishedAt": "2026-11-18T12:00:00Z"}
    told["status"]["containerStatuses"] = [{"name": "pytorch", "state": {"terminated": ended}}]
    told["status"]["conditions"] = [{"message": "hush", "lastTransitionTime": "2026-11-18T12:00:00Z"}]
    keep_pods(tmp_path, [told], BEGIN_S)
    text = (tmp_path / FILE).read_text()
    assert ("hush" in text, "12:00:00Z" in text) == (False, True)
