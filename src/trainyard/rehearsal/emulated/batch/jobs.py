"""Jobs, which go from state to state each time somebody looks. A job of several nodes has a part for each of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch import job_definitions
from trainyard.rehearsal.emulated.batch.containers import (
    can_be_pulled,
    containers,
    node_properties,
    stream,
    task,
    why_it_waits,
    with_overrides,
    write_log,
)
from trainyard.rehearsal.emulated.batch.state import arn, batch_state, queue_of, refusal
from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.resource import Aws

# https://docs.aws.amazon.com/batch/latest/userguide/job_states.html
STATES = ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED")
OVER = ("SUCCEEDED", "FAILED")
_HELD = "trainyard:held"
"""What keeps a job from going on by itself: see ``hold``."""


def submit(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer SubmitJob.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html
    """
    here = batch_state(aws.account_id, aws.region)
    queue = queue_of(aws, request["jobQueue"])
    if queue["state"] != "ENABLED":
        raise refusal(f"JobQueue {queue['jobQueueName']} is not enabled")
    definition = job_definitions.definition_of(aws, request["jobDefinition"])
    name = str(uuid.uuid4())
    tags = {**(definition["tags"] if request.get("propagateTags") else {}), **request.get("tags", {})}
    job: dict[str, Any] = {
        "jobId": name,
        "jobArn": arn(aws.account_id, aws.region, f"job/{name}"),
        "jobName": request["jobName"],
        "jobQueue": queue["jobQueueArn"],
        "jobDefinition": definition["jobDefinitionArn"],
        "status": STATES[0],
        "createdAt": _now(),
        "attempts": [],
        "dependsOn": request.get("dependsOn", []),
        "parameters": {**definition.get("parameters", {}), **request.get("parameters", {})},
        "timeout": request.get("timeout", definition.get("timeout", {})),
        "retryStrategy": request.get("retryStrategy", definition.get("retryStrategy", {})),
        "tags": tags,
    }
    if definition["type"] == "multinode":
        job["nodeProperties"] = node_properties(definition["nodeProperties"], request.get("nodeOverrides", {}))
    elif "nodeOverrides" in request:
        raise refusal("nodeOverrides are for multi-node parallel jobs")
    else:
        job["container"] = with_overrides(
            definition.get("containerProperties", {}), request.get("containerOverrides", {})
        )
    here.jobs[name] = job
    if breakdown_at("launch") is not None and why_it_waits(aws, job) is not None:
        for _ in STATES[: STATES.index("STARTING")]:  # nobody looks at it often enough to see that it waits
            _go_on(aws, job)
    return {key: job[key] for key in ("jobName", "jobId", "jobArn")}


def describe(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return jobs and nodes of jobs, ID#NODE, as they are; then let time pass for those that are not held."""
    here = batch_state(aws.account_id, aws.region)
    shown = []
    for name in request["jobs"]:
        whole, _, node = name.rpartition("/")[2].partition("#")
        job = here.jobs.get(whole)
        if job is None:
            continue
        shown.append(_job_summary(job) if not node else _node(aws, job, int(node)))
        if not node:
            _go_on(aws, job)
    return shown


def list_jobs(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the jobs of a queue in one state, RUNNING where none is named, or the nodes of a job.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_ListJobs.html
    """
    here = batch_state(aws.account_id, aws.region)
    if "multiNodeJobId" in request:
        job = here.jobs.get(request["multiNodeJobId"])
        nodes = [] if job is None else [_node(aws, job, index) for index in range(job["nodeProperties"]["numNodes"])]
        return [_summary(node) for node in nodes]
    queue = queue_of(aws, request["jobQueue"])["jobQueueArn"]
    of_queue = [job for job in here.jobs.values() if job["jobQueue"] == queue]
    if "filters" in request:
        passing = [job for job in of_queue if all(_passes(job, filter_) for filter_ in request["filters"])]
        return [_summary(_job_summary(job)) for job in reversed(passing)]  # the newest first, as Batch does
    state = request.get("jobStatus", "RUNNING")
    return [_summary(_job_summary(job)) for job in of_queue if job["status"] == state]


def cancel(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CancelJob: what has not started ends."""
    job = batch_state(aws.account_id, aws.region).jobs.get(request["jobId"])
    if job is not None and job["status"] in STATES[: STATES.index("STARTING")]:
        _end(job, "FAILED", request["reason"])
    return {}


def terminate(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer TerminateJob, also of one that is over."""
    job = batch_state(aws.account_id, aws.region).jobs.get(request["jobId"].partition("#")[0])
    if job is not None and job["status"] not in OVER:
        _end(job, "FAILED", request["reason"])
    return {}


def end_all_of(aws: Aws, queue: str, reason: str) -> None:
    """End every job of a queue."""
    for job in batch_state(aws.account_id, aws.region).jobs.values():
        if job["jobQueue"] == queue and job["status"] not in OVER:
            _end(job, "FAILED", reason)


def hold(aws: Aws, state: Mapping[str, Any]) -> None:
    """Let a job stay in a state, with a reason where there is one: {"jobId": …, "status": "RUNNABLE"}."""
    job = batch_state(aws.account_id, aws.region).jobs[state["jobId"]]
    while job["status"] not in (state["status"], *OVER):
        _go_on(aws, job)
    job |= {_HELD: True, **state}


def end_attempt(aws: Aws, state: Mapping[str, Any]) -> None:
    """End the attempt of a job that runs: {"jobId": …, "statusReason": …, "exitCode": …}. What is retried waits again.

    https://docs.aws.amazon.com/batch/latest/userguide/job_retries.html
    """
    job = batch_state(aws.account_id, aws.region).jobs[state["jobId"]]
    job.pop(_HELD, None)
    while job["status"] not in ("RUNNING", *OVER):
        _go_on(aws, job)
    _end(job, "FAILED", state["statusReason"], state.get("exitCode"))
    if _retries(job["retryStrategy"], state, len(job["attempts"])):
        job["status"] = "RUNNABLE"
        for name in ("startedAt", "stoppedAt"):
            job.pop(name)


def _passes(job: Mapping[str, Any], filter_: Mapping[str, Any]) -> bool:
    """Say whether a job passes a filter of ListJobs. Raises the service's error for one that is not there.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_KeyValuesPair.html
    """
    if filter_["name"] not in _FILTERS:
        raise refusal(f"the emulated account has no filter {filter_['name']}")
    return any(_FILTERS[filter_["name"]](job, value) for value in filter_["values"])


def _go_on(aws: Aws, job: dict[str, Any]) -> None:
    if job["status"] in OVER or job.get(_HELD):
        return
    state = STATES[STATES.index(job["status"]) + 1]
    if state == "STARTING" and (reason := why_it_waits(aws, job)) is not None:
        job["statusReason"] = reason
        return
    job.pop("statusReason", None)
    if state == "RUNNING":
        missing = next(
            (container["image"] for container in containers(job) if not can_be_pulled(aws, container["image"])), None
        )
        if missing is not None:
            _end(job, "FAILED", f"CannotPullContainerError: {missing}: not found", exit_code=None)
            return
        job["startedAt"] = _now()
        for index, container in enumerate(containers(job)):
            write_log(aws, job, index, container)
    job["status"] = state
    if state == "SUCCEEDED":
        _end(job, state, "Essential container in task exited", exit_code=0)


def _end(job: dict[str, Any], state: str, reason: str, exit_code: int | None = 137) -> None:
    began = job.get("startedAt")
    job |= {"status": state, "statusReason": reason, "stoppedAt": _now()}
    code = {} if began is None or exit_code is None else {"exitCode": exit_code}
    attempt = {"container": {**code, **stream(job, 0)}, "stoppedAt": _now(), "statusReason": reason}
    job["attempts"] = [*job["attempts"], {**attempt, **({} if began is None else {"startedAt": began})}]
    if "container" in job:
        job["container"] = {**job["container"], **code}


def _retries(strategy: Mapping[str, Any], ended: Mapping[str, Any], attempts: int) -> bool:
    """Return whether a job is tried once more after so many attempts, by what the last one ended with.

    The first entry counts whose patterns all match; without one that does it is retried.
    https://docs.aws.amazon.com/batch/latest/APIReference/API_EvaluateOnExit.html
    """
    if attempts >= strategy.get("attempts", 1):
        return False
    code = ended.get("exitCode")
    said = {
        "onStatusReason": ended.get("statusReason", ""),
        "onReason": ended.get("reason", ""),
        "onExitCode": "" if code is None else str(code),
    }
    for entry in strategy.get("evaluateOnExit", ()):
        patterns = {key: pattern for key, pattern in entry.items() if key in said}
        if all(said[key] and _is_like(said[key], pattern) for key, pattern in patterns.items()):
            return bool(entry["action"].upper() == "RETRY")
    return True


def _is_like(text: str, pattern: str) -> bool:
    """Return whether a text, in either case, is the pattern or begins with what stands before its asterisk."""
    text, pattern = text.lower(), pattern.lower()
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def _node(aws: Aws, job: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return what is shown of one node of a job."""
    properties = job["nodeProperties"]
    if index >= properties["numNodes"]:
        raise refusal(f"{job['jobId']} has no node {index}")
    shown = {key: value for key, value in _job_summary(job).items() if key not in ("nodeProperties", "attempts")}
    code = {"exitCode": job["attempts"][-1]["container"]["exitCode"]} if _has_code(job) else {}
    task_arn = f"arn:aws:ecs:{aws.region}:{aws.account_id}:task/{task(job, index)}"
    return {
        **shown,
        "jobId": f"{job['jobId']}#{index}",
        "jobArn": f"{job['jobArn']}#{index}",
        "nodeDetails": {"nodeIndex": index, "isMainNode": index == properties["mainNode"]},
        "container": {**containers(job)[index], "taskArn": task_arn, **stream(job, index), **code},
    }


def _has_code(job: Mapping[str, Any]) -> bool:
    return bool(job["attempts"]) and "exitCode" in job["attempts"][-1]["container"]


def _job_summary(job: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in job.items() if key != _HELD}


def _summary(job: Mapping[str, Any]) -> dict[str, Any]:
    names = (
        "jobArn",
        "jobId",
        "jobName",
        "createdAt",
        "status",
        "statusReason",
        "startedAt",
        "stoppedAt",
        "jobDefinition",
    )
    nodes = job.get("nodeDetails") or {"numNodes": job.get("nodeProperties", {}).get("numNodes")}
    of_nodes = {"nodeProperties": nodes} if "nodeDetails" in job or "nodeProperties" in job else {}
    return {**{name: job[name] for name in names if name in job}, **of_nodes}


def _now() -> int:
    return int(time.time() * 1000)


def _has_name(job: Mapping[str, Any], value: str) -> bool:
    name, value = job["jobName"].lower(), value.lower()
    return bool(name.startswith(value[:-1]) if value.endswith("*") else name == value)


def _is_of_definition(job: Mapping[str, Any], value: str) -> bool:
    arn: str = job["jobDefinition"]
    name = arn.rpartition("/")[2].partition(":")[0]
    return value == arn or (name.startswith(value[:-1]) if value.endswith("*") else name == value)


def _is_before(job: Mapping[str, Any], value: str) -> bool:
    return bool(job["createdAt"] < _milliseconds(value))


def _is_after(job: Mapping[str, Any], value: str) -> bool:
    return bool(job["createdAt"] > _milliseconds(value))


def _milliseconds(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise refusal(f"{value!r} is no number of milliseconds since 1970") from None


_FILTERS: dict[str, Callable[[Mapping[str, Any], str], bool]] = {
    "JOB_NAME": _has_name,
    "JOB_DEFINITION": _is_of_definition,
    "BEFORE_CREATED_AT": _is_before,
    "AFTER_CREATED_AT": _is_after,
}
