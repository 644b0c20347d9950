"""What schedulers, Kubernetes, CloudFormation and programs say of jobs, pods, nodes and stacks, as it reaches people.

Each function puts a forgery where a stranger can write, and yields what is printed of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK, assert_quoted
from trainyard.deploy.steps.stack import tell
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Clock
from trainyard.edge.aws.batch_job_state import QueueJob, QueueJobs
from trainyard.edge.aws.batch_jobs import BatchJob, MainNode
from trainyard.edge.aws.eks import HealthIssue
from trainyard.edge.aws.nodes import kubernetes_node
from trainyard.edge.aws.stack_events import StackEvent
from trainyard.edge.aws.stacks import StackState, refuse_stuck
from trainyard.edge.kubernetes.refusals import refusal
from trainyard.edge.pcluster_answers import ValidationMessage, Verdict
from trainyard.edge.pcluster_command import PclusterRefusedError
from trainyard.edge.remote_command import CommandResult
from trainyard.errors import TrainyardError
from trainyard.foreign_text import one_line
from trainyard.operate.calendar.calendar_entry import of_certificate as calendar_of_certificate
from trainyard.operate.calendar.calendar_entry import of_images as calendar_of_images
from trainyard.operate.calendar.calendar_entry import of_scheduled_events as calendar_of_events
from trainyard.operate.nodes.durations import short_list
from trainyard.operate.slurm.slurm_state import SlurmJob
from trainyard.platforms.batch.jobs.job_progress import outcome_words
from trainyard.platforms.batch.status.batch_status import BatchStatus, ComputeEnvironmentStatus, QueueStatus
from trainyard.platforms.batch.status.platform_status import BatchPlatformStatus
from trainyard.platforms.batch.status.queues import failed_jobs as failed_batch_jobs
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import mpi_job_status
from trainyard.platforms.eks.mpi_jobs.mpi_runs import last_complaint
from trainyard.platforms.eks.status.eks_status import issue_text
from trainyard.platforms.eks.status.kubernetes_api import failed_jobs, training_jobs
from trainyard.platforms.eks.status.nodes import kubernetes_nodes
from trainyard.platforms.eks.status.pods import end_of, failed_pods, pod_trouble
from trainyard.submission.job_progress import JobsInProgress, follow
from trainyard.submission.slurm import states

NOW_S = 1_795_000_000.0


def pod(phase: str, **status: Any) -> dict[str, Any]:
    made = {"name": "llm-worker-0", "namespace": "default", "creationTimestamp": "2026-11-18T12:00:00Z"}
    labels = {"labels": {"training.kubeflow.org/job-role": "worker"}}
    return {"metadata": made | labels, "spec": {}, "status": {"phase": phase, **status}}


def container(**state: Any) -> dict[str, Any]:
    return {"name": "train", "image": "pytorch", "restartCount": 3, "state": state, "lastState": state}


def pods_with(text: str) -> list[dict[str, Any]]:
    unscheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": text}
    ended = {"reason": text, "exitCode": 1, "message": text, "finishedAt": "2026-11-18T12:00:00Z"}
    return [
        pod("Pending", conditions=[unscheduled]),
        pod("Pending", reason=text, message=text),
        pod("Pending", containerStatuses=[container(waiting={"reason": "InvalidImageName", "message": text})]),
        pod("Pending", containerStatuses=[container(waiting={"reason": text, "message": text})]),
        pod("Failed", reason=text, message=text, startTime="2026-11-18T12:00:00Z"),
        pod("Failed", containerStatuses=[container(terminated=ended)]),
        pod("Running", containerStatuses=[container(terminated={**ended, "reason": "OOMKilled"})]),
        pod("Pending", containerStatuses=[{**container(waiting={"reason": "ErrImagePull"}), "image": text}]),
    ]


def of_pods(text: str) -> Iterator[str]:
    for document in pods_with(text):
        if (trouble := pod_trouble(document, NOW_S)) is not None:
            yield f"{trouble.state}: {trouble.why}"
        yield end_of(document)
    yield from (f"{failure.place}: {failure.what}" for failure in failed_pods(pods_with(text), NOW_S))


def of_mpi_jobs(text: str) -> Iterator[str]:
    for document in pods_with(text):
        for condition in ("Failed", "Running"):
            status = {"conditions": [{"type": condition, "status": "True", "reason": text, "message": text}]}
            looked_at = mpi_job_status({"status": status}, [document])
            yield looked_at.state.reason
            yield from (trouble.words for trouble in looked_at.troubles.values())


def of_complaints(text: str) -> Iterator[str]:
    about = {"type": "Warning", "involvedObject": {"name": "nccl"}, "reason": text, "message": text}
    kubectl = SimpleNamespace(get=lambda *_words, **_options: [{**about, "regarding": about["involvedObject"]}])
    yield last_complaint(cast("Any", kubectl), {"metadata": {"name": "nccl"}}) or ""


def of_training_jobs(text: str) -> Iterator[str]:
    condition = {"type": "Failed", "status": "True", "reason": text, "message": text}
    status = {"metadata": {"name": "llm", "namespace": "default"}, "status": {"conditions": [condition]}}
    jobs = training_jobs([{"kind": kind, **status} for kind in ("PyTorchJob", "JobSet")])
    yield from (job.why for job in jobs)
    yield from (f"{failure.place}: {failure.what}" for failure in failed_jobs(jobs))


def of_kubernetes_nodes(text: str) -> Iterator[str]:
    conditions = [
        {"type": "Ready", "status": "False", "reason": text, "message": text},
        {"type": "KernelReady", "status": "False", "reason": text},
    ]
    for node in kubernetes_nodes([{"metadata": {"name": "ip-10-0-0-1"}, "status": {"conditions": conditions}}]):
        yield from (node.why, *node.pressures)


def of_health_issues(text: str) -> Iterator[str]:
    yield issue_text(HealthIssue("AsgInstanceLaunchFailures", text, ("i-0a1b",)))
    yield issue_text(HealthIssue("NodeCreationFailure", "nodes failed", (text,)))


def of_lists_of_names(text: str) -> Iterator[str]:
    yield short_list(["ip-10-0-0-1", text])


def of_slurm(text: str) -> Iterator[str]:
    line = f"7|PENDING|{text.replace('|', ' ').splitlines()[0]}|"
    head = SimpleNamespace(
        run=lambda _command: CommandResult(0, line.encode("utf-8", "replace"), ""), words="head node"
    )
    looks = iter([states(cast("Any", head), ["7"])["7"]])
    ended = states(cast("Any", head), ["7"])["7"]._replace(state="FAILED")
    scheduler = SimpleNamespace(states=lambda _numbers: {"7": next(looks, ended)})
    lines: list[str] = []
    clock = SimpleNamespace(now=lambda: 0.0, sleep=lambda _seconds: None)
    follow(JobsInProgress(cast("Any", scheduler), {"nccl": "7"}, lines.append, lambda *_: None), clock, 1.0, 1.0)
    yield from lines


def of_batch_jobs(text: str) -> Iterator[str]:
    main = MainNode(137, " ".join(text.split()))
    facts = ("0a1b", "nccl", "FAILED", " ".join(text.split()), "queue", "definition", 2, 1, 1)
    yield outcome_words(BatchJob(*facts, main, 1))
    job = QueueJob("0a1b", "nccl", "FAILED", text, 2, "definition", 0, int(NOW_S * 1000), 137)
    for failure in failed_batch_jobs({"queue": {"FAILED": QueueJobs((job,), whole=True)}}, NOW_S):
        yield f"{failure.place}: {failure.what}"


def of_batch_queues(text: str) -> Iterator[str]:
    environment = ComputeEnvironmentStatus("env", "ENABLED", "INVALID", text, "EC2", (), 0, 0, 8, None, {}, ())
    queue = QueueStatus("queue", "ENABLED", "INVALID", text, ("env",), {}, ())
    batch = BatchPlatformStatus(BatchStatus("llm", (environment,), (queue,)))
    status = cast("Any", SimpleNamespace(has_own_stack=lambda _name: True, command=lambda *_: "", region="r", at=NOW_S))
    yield from batch.lines(status)
    yield from (concern.what for concern in batch.concerns(status, broken=False))


def of_stacks(text: str) -> Iterator[str]:
    lines: list[str] = []
    event = StackEvent("1", 0.0, "llm", "HeadNode", "AWS::EC2::Instance", "CREATE_FAILED", text, "i-0a1b")
    tell(cast("Work", SimpleNamespace(tell=lines.append)), event)
    yield from lines
    arn = "arn:aws:cloudformation:us-east-1:111122223333:stack/llm/0a"
    with pytest.raises(TrainyardError) as refused:
        refuse_stuck(StackState("llm", arn, "UPDATE_FAILED", text, {}, {}, False))  # noqa: FBT003
    yield refused.value.problem


def of_kubectl(text: str) -> Iterator[str]:
    for beginning in ("", "Error from server (Forbidden): ", "Error from server (NotFound): ", "Unable to connect to "):
        yield refusal("read pods", "llm", 1, f"{beginning}{text}".splitlines()).problem


def of_slurm_jobs(text: str) -> Iterator[str]:
    yield str(SlurmJob(text, "RUNNING", text, text, 2, None, text, text))


def of_programs(text: str) -> Iterator[str]:
    message = ValidationMessage("ERROR", "AnyValidator", text)
    yield PclusterRefusedError(Verdict(accepted=False, problem=text), where="llm").problem
    yield PclusterRefusedError(Verdict(accepted=False, problem="no", messages=(message,)), where="llm").problem
    lines: list[str] = []
    Work(cast("Any", SimpleNamespace(clock=Clock())), "llm", None, "", lambda event: lines.append(event.text)).relay(
        text
    )
    yield from (one_line(line) for line in lines)


def of_tags(text: str) -> Iterator[str]:
    tags = [{"Key": key, "Value": text} for key in ("eks:nodegroup-name", "parallelcluster:queue-name")]
    instance = {"InstanceId": "i-0a1b", "InstanceType": "p5.48xlarge", "State": {"Name": "running"}, "Tags": tags}
    yield kubernetes_node(instance).queue or ""


def of_calendars(text: str) -> Iterator[str]:
    image = {"Name": text, "CreationDate": "2026-11-18T12:00:00Z"}
    at = datetime(2026, 11, 24, tzinfo=UTC)
    event = {"Code": text, "Description": text, "NotBefore": at}
    entries = [
        *calendar_of_images("llm", {"ami-0a1b": image}, {}),
        *calendar_of_events("llm", [("i-0a1b", event), ("i-0a1b", {**event, "Code": "instance-stop"})], {}),
        *calendar_of_certificate("llm", "arn:c", {"DomainName": text, "NotAfter": at}),
    ]
    yield from (entry.what for entry in entries)


PLACES: dict[str, Callable[[str], Iterator[str]]] = {
    name.removeprefix("of_"): place for name, place in dict(globals()).items() if name.startswith("of_")
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@each_case("text", FORGERIES.values(), ids=FORGERIES)
def test_it_is_a_quotation_on_one_line(text: str, place: Callable[[str], Iterator[str]]):
    outputs = list(place(text))
    assert outputs
    assert_quoted(*outputs)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_it_is_shown(place: Callable[[str], Iterator[str]]):
    assert MARK in " ".join(place(f"an error of {MARK}"))
