"""Runs on AWS Batch and Amazon EKS: submitted once, looked at, taken back, and submitted again after a failure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.batch.jobs.scripted_batch import ScriptedBatch, Step, definition, scripted_batch
from tests.platforms.eks.bench_jobs.scripted_operator import ScriptedEks, scripted_eks
from tests.submission.deployed import remember_deployment
from tests.training.test_run_render import SPEC, SPECS
from trainyard.api.run import new_run
from trainyard.api.run_submit import RunPlace, cancel, look, run_place, submit, watch
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.training_jobs import files
from trainyard.render.bench.mpi_job import RUN
from trainyard.training.programs.trainyard_progress import SHOWN as MARK
from trainyard.training.run_progress import RunProgress

NAME = "first-fsdp"
MANIFEST = json.dumps(
    {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"digest": f"sha256:{'0' * 64}"}, "layers": [],
    }
)  # fmt: skip


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_batch() as made:
        made.of_jobs = {NAME: [Step("RUNNABLE", "CAPACITY:X"), Step("RUNNING"), Step("SUCCEEDED", exit_code=0)]}
        yield made


@pytest.fixture
def eks() -> Iterator[ScriptedEks]:
    with scripted_eks() as made:
        made.api.kinds |= {"pytorchjobs", "jobsets"}
        yield made


def place(
    folder: Path,
    platform: str,
    account: Any,
    *,
    remember: bool = True,
    operator: str = "training-operator",
    **more: Any,
) -> RunPlace:
    text = SPEC.format(platform=SPECS[platform])
    if platform == "eks":
        text += f"eks: {{operators: [{operator}]}}\n"
    (folder / "cluster.yaml").write_text(text)
    (folder / "run.yaml").write_text(new_run("fsdp"))
    if remember:
        remember_deployment(account, text)
    return run_place(str(folder / "run.yaml"), account=account, results=folder / "results", **more)


def test_on_aws_batch_a_run_is_submitted_once_and_watched_to_its_end(batch: ScriptedBatch, tmp_path: Path):
    assert batch.account is not None
    on = place(tmp_path, "batch", batch.account)
    first = submit(on)
    again = submit(on)
    assert (first.is_new, again.is_new, first.job) == (True, False, again.job)
    assert [one.state.state for one in watch(on, batch.account.clock)] == ["RUNNING", "COMPLETED"]
    with pytest.raises(InputError, match="has come to its end"):
        submit(on)


def test_on_aws_batch_a_run_that_failed_is_submitted_again(batch: ScriptedBatch, tmp_path: Path):
    assert batch.account is not None
    batch.of_jobs = {NAME: [Step("FAILED", "Host EC2 (instance i-0a1b) terminated.", exit_code=1)]}
    on = place(tmp_path, "batch", batch.account)
    first = submit(on)
    second = submit(on)
    assert (second.is_new, second.job != first.job) == (True, True)


def test_on_aws_batch_a_run_without_its_image_is_refused_before_nodes_start(batch: ScriptedBatch, tmp_path: Path):
    assert batch.account is not None
    on = place(tmp_path, "batch", batch.account)
    request = json.loads(files(on.run, on.spec)[f"{NAME}.json"])
    own = definition(request["jobDefinition"])
    (group,) = own["nodeProperties"]["nodeRangeProperties"]
    group["container"]["image"] = "123456789012.dkr.ecr.us-east-2.amazonaws.com/lab-images:pytorch"
    batch.definitions.append(own)
    with pytest.raises(InputError, match="lab-images:pytorch is not in its registry"):
        submit(on)
    assert batch.submitted == []
    registry = batch.account.client("ecr")
    registry.create_repository(repositoryName="lab-images")
    registry.put_image(repositoryName="lab-images", imageTag="pytorch", imageManifest=MANIFEST)
    assert submit(on).is_new


def test_who_may_not_read_the_log_of_a_run_still_sees_how_its_job_is(batch: ScriptedBatch, tmp_path: Path):
    assert batch.account is not None
    batch.of_jobs = {NAME: [Step("RUNNING", stream=""), Step("RUNNING", fails="AccessDeniedException")]}
    on = place(tmp_path, "batch", batch.account)
    submit(on)
    found = look(on)
    assert (found.state.state, found.progress) == ("RUNNING", RunProgress())


SHOWN = (f'{MARK}{{"event":"start","attempt":1}}', f'{MARK}{{"event":"save_end","step":100}}',
         f'{MARK}{{"step":120,"step_seconds":4.0,"loss":7.5}}')  # fmt: skip


def test_on_aws_batch_a_run_shows_its_progress_in_its_log(batch: ScriptedBatch, tmp_path: Path):
    assert batch.account is not None
    batch.of_jobs = {
        NAME: [Step("RUNNING", stream=""), Step("RUNNING", stream=""), Step("RUNNING", says=("epoch 3", *SHOWN))]
    }
    on = place(tmp_path, "batch", batch.account)
    submit(on)
    assert look(on).progress == RunProgress()
    progress = look(on).progress
    assert (progress.step, progress.loss, progress.checkpoint, progress.attempt) == (120, 7.5, 100, 1)


def test_on_amazon_eks_a_run_shows_its_progress_in_its_log(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path)
    submit(on)
    say(eks, "Created")
    assert look(on).progress == RunProgress()
    say(eks, "Created", "Running")
    eks.api.logs["default", f"{NAME}-worker-0"] = ["epoch 3", *SHOWN]
    progress = look(on).progress
    assert (progress.step, progress.step_s, progress.checkpoint) == (120, 4.0, 100)


def the_job(eks: ScriptedEks) -> dict[str, Any]:
    (job,) = (one for one in eks.api.objects if one["kind"] == "PyTorchJob")
    return job


def say(eks: ScriptedEks, *types: str) -> None:
    conditions = [
        {"type": type_, "status": "True", "reason": f"PyTorchJob{type_}", "message": "so it is",
         "lastTransitionTime": f"2026-11-24T00:00:0{at}Z"}
        for at, type_ in enumerate(types)
    ]  # fmt: skip
    the_job(eks)["status"] = {"conditions": conditions}


def on_eks(eks: ScriptedEks, folder: Path, *, remember: bool = True, operator: str = "training-operator") -> RunPlace:
    return place(folder, "eks", eks.account, remember=remember, operator=operator, kubectl=eks.kubectl.of)


def test_on_amazon_eks_a_run_is_a_pytorch_job_and_what_it_mounts(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path)
    first = submit(on)
    assert submit(on).job == first.job
    assert the_job(eks)["metadata"]["labels"][RUN] == first.job
    assert [one["metadata"]["name"] for one in eks.api.objects if one["kind"] == "ConfigMap"] == [NAME]
    for said, expected in ((("Created",), "PENDING"), (("Created", "Running"), "RUNNING"),
                           (("Created", "Running", "Restarting"), "REQUEUED")):  # fmt: skip
        say(eks, *said)
        assert look(on).state.state == expected
    say(eks, "Created", "Running", "Succeeded")
    assert [one.state.state for one in watch(on, eks.account.clock)] == ["COMPLETED"]


def test_on_amazon_eks_a_run_that_failed_makes_way_for_the_next_start(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path)
    first = submit(on)
    say(eks, "Created", "Failed")
    second = submit(on)
    assert (second.is_new, second.job != first.job) == (True, True)
    assert the_job(eks)["metadata"]["labels"][RUN] == second.job


@pytest.mark.parametrize("kept", ["{", '{"items": [{"metadata": {"uid": "z"}, "status": 7}]}', None])
def test_what_cannot_be_kept_for_the_report_hides_no_run(eks: ScriptedEks, tmp_path: Path, kept: str | None):
    on = on_eks(eks, tmp_path)
    submit(on)
    eks.api.add({"kind": "Pod", "apiVersion": "v1", "metadata": {
        "name": f"{NAME}-worker-0", "namespace": "default", "uid": "u",
        "labels": {"training.kubeflow.org/job-name": NAME}}})  # fmt: skip
    if kept is None:
        (tmp_path / "results" / "pods.json").mkdir()
    else:
        (tmp_path / "results" / "pods.json").write_text(kept)
    say(eks, "Created", "Running", "Succeeded")
    told: list[str] = []
    assert [one.state.state for one in watch(on, eks.account.clock, told.append)] == ["COMPLETED"]
    assert len(told) == (0 if kept and "uid" in kept else 1), told


def test_on_amazon_eks_a_run_of_somebody_else_stays(eks: ScriptedEks, tmp_path: Path):
    submit(on_eks(eks, tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(TrainyardError, match="runs already"):
        submit(on_eks(eks, other, remember=False))


def test_on_amazon_eks_a_run_is_taken_back(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path)
    number = submit(on).job
    assert cancel(on) == [number]
    assert [one for one in eks.api.objects if one["kind"] == "PyTorchJob"] == []
    assert submit(on).is_new


def test_without_the_operator_it_is_said_how_to_get_it(eks: ScriptedEks, tmp_path: Path):
    eks.api.kinds.discard("pytorchjobs")
    with pytest.raises(TrainyardError, match="no training operator"):
        submit(on_eks(eks, tmp_path))


def the_job_set(eks: ScriptedEks, **status: Any) -> dict[str, Any]:
    (job_set,) = (one for one in eks.api.objects if one["kind"] == "JobSet")
    if status:
        ready = {"name": "worker", "ready": status.pop("ready", 0), "succeeded": 0}
        job_set["status"] = {"replicatedJobsStatus": [ready], **status}
    return job_set


def told(type_: str, reason: str = "Why", message: str = "so it is") -> list[dict[str, Any]]:
    return [{"type": type_, "status": "True", "reason": reason, "message": message,
             "lastTransitionTime": "2026-11-24T00:00:00Z"}]  # fmt: skip


def test_on_amazon_eks_a_run_is_a_job_set_where_the_cluster_takes_these_alone(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path, operator="jobset")
    first = submit(on)
    assert (submit(on).job, the_job_set(eks)["metadata"]["labels"][RUN]) == (first.job, first.job)
    assert look(on).state.state == "PENDING"
    restarting = told("Restarting", "FailurePolicy_disrupted")
    for status, expected in (({"ready": 0}, ("PENDING", "")), ({"ready": 1}, ("RUNNING", "")),
                             ({"restarts": 1, "conditions": restarting}, ("REQUEUED", 'disrupted: "so it is"')),
                             ({"ready": 1, "restarts": 1, "conditions": []}, ("RUNNING", "")),
                             ({"conditions": told("Suspended")}, ("SUSPENDED", 'Why: "so it is"'))):  # fmt: skip
        the_job_set(eks, **status)
        found = look(on).state
        assert (found.state, found.reason.removeprefix("FailurePolicy_")) == expected
    the_job_set(eks, conditions=told("Failed", "ReachedMaxRestarts"))
    second = submit(on)
    assert (second.is_new, second.job != first.job) == (True, True)
    the_job_set(eks, conditions=told("Completed"))
    assert [one.state.state for one in watch(on, eks.account.clock)] == ["COMPLETED"]


def test_a_job_set_shows_its_progress_in_the_log_of_its_newest_first_pod(eks: ScriptedEks, tmp_path: Path):
    on = on_eks(eks, tmp_path, operator="jobset")
    submit(on)
    the_job_set(eks, ready=1)
    assert look(on).progress == RunProgress()
    for name, index, minute in (("0-aaaaa", 0, 2), ("0-bbbbb", 0, 1), ("1-ccccc", 1, 3)):
        labels = {"jobset.sigs.k8s.io/jobset-name": NAME, "batch.kubernetes.io/job-completion-index": str(index)}
        metadata = {"name": f"{NAME}-worker-0-{name}", "namespace": "default", "uid": name, "labels": labels}
        made = {"creationTimestamp": f"2026-11-24T00:0{minute}:00Z"}
        eks.api.add({"kind": "Pod", "apiVersion": "v1", "metadata": metadata | made, "spec": {"nodeName": f"n{index}"}})
    eks.api.logs["default", f"{NAME}-worker-0-0-aaaaa"] = [*SHOWN]
    found = look(on)
    assert (found.progress.step, found.state.nodes) == (120, "n0,n1")


def test_a_run_is_found_as_what_it_was_submitted_as_whatever_its_file_says_now(eks: ScriptedEks, tmp_path: Path):
    first = submit(on_eks(eks, tmp_path, operator="jobset"))
    with (tmp_path / "run.yaml").open("a") as run_file:
        run_file.write("kubernetes_job: PyTorchJob\n")
    file, results = str(tmp_path / "run.yaml"), tmp_path / "results"
    later = run_place(file, account=eks.account, results=results, kubectl=eks.kubectl.of)
    assert submit(later).job == first.job
    assert cancel(later) == [first.job]
    assert not [one for one in eks.api.objects if one["kind"] == "JobSet"]
    assert submit(later).is_new
    assert the_job(eks)["kind"] == "PyTorchJob"


def test_without_the_controller_of_job_sets_it_is_said_how_to_get_it(eks: ScriptedEks, tmp_path: Path):
    eks.api.kinds.discard("jobsets")
    with pytest.raises(TrainyardError, match="no controller of JobSets") as caught:
        submit(on_eks(eks, tmp_path, operator="jobset"))
    assert "with jobset in eks.operators" in str(caught.value.hint)


def test_what_was_not_submitted_is_not_watched(eks: ScriptedEks, tmp_path: Path):
    with pytest.raises(InputError, match="was not submitted from here"):
        look(on_eks(eks, tmp_path))
