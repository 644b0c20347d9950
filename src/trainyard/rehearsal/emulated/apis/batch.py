"""AWS Batch: moto loses the nodes of multi-node jobs, wants a role where none is needed, and runs jobs in Docker.

https://docs.aws.amazon.com/batch/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from moto.core.exceptions import JsonRESTError
from moto.core.responses import BaseResponse

from trainyard.rehearsal.emulated import pages
from trainyard.rehearsal.emulated.batch import compute_environments, job_definitions, job_queues, jobs, request_model
from trainyard.rehearsal.emulated.batch.state import batch_state, refusal
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

SIGNING_NAME = "batch"
# As many as Batch answers with at most. https://docs.aws.amazon.com/batch/latest/APIReference/API_ListJobs.html
_PAGE = 100
# https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html (read 2026-11-22)
_LONGEST_BYTES = {"RegisterJobDefinition": 24 * 1024, "SubmitJob": 30 * 1024}
_ACTIONS: dict[str, Callable[[InProcessAccount, Mapping[str, Any]], dict[str, Any]]] = {
    "CreateComputeEnvironment": compute_environments.create,
    "UpdateComputeEnvironment": compute_environments.update,
    "DeleteComputeEnvironment": compute_environments.delete,
    "CreateJobQueue": job_queues.create,
    "UpdateJobQueue": job_queues.update,
    "DeleteJobQueue": job_queues.delete,
    "RegisterJobDefinition": job_definitions.register,
    "DeregisterJobDefinition": job_definitions.deregister,
    "SubmitJob": jobs.submit,
    "CancelJob": jobs.cancel,
    "TerminateJob": jobs.terminate,
}
_LISTS: dict[str, tuple[str, Callable[[InProcessAccount, Mapping[str, Any]], list[dict[str, Any]]]]] = {
    "DescribeComputeEnvironments": ("computeEnvironments", compute_environments.describe),
    "DescribeJobQueues": ("jobQueues", job_queues.describe),
    "DescribeJobDefinitions": ("jobDefinitions", job_definitions.describe),
    "DescribeJobs": ("jobs", jobs.describe),
    "ListJobs": ("jobSummaryList", jobs.list_jobs),
}


def install() -> None:
    """Let tests hold a job in a state, and end an attempt: PUT /trainyard/batch-job and /trainyard/batch-attempt."""
    pages.TAKES["batch-job"] = lambda state: jobs.hold(InProcessAccount(state.pop("region")), state)
    pages.TAKES["batch-attempt"] = lambda state: jobs.end_attempt(InProcessAccount(state.pop("region")), state)


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return what exists. Jobs that are over and definitions that are inactive stay to be looked at, as in AWS."""
    here = batch_state(account_id, region)
    return {
        "Batch compute environments": [
            environment["computeEnvironmentName"] for environment in here.environments.values()
        ],
        "Batch job queues": [queue["jobQueueName"] for queue in here.queues.values()],
        "Batch job definitions": [
            arn for arn, definition in here.definitions.items() if definition["status"] == "ACTIVE"
        ],
        "Batch jobs": [name for name, job in here.jobs.items() if job["status"] not in jobs.OVER],
    }


class BatchResponse(BaseResponse):
    """Answers Batch's calls."""

    def __init__(self) -> None:
        """Name the service."""
        super().__init__(service_name="batch")

    def call_action(self) -> tuple[int, dict[str, str], str]:
        """Answer any call; one that Batch would not take is refused."""
        try:
            return 200, {"Content-Type": "application/json"}, json.dumps(self._answer(self._get_action()))
        except JsonRESTError as error:
            return 400, {"x-amzn-ErrorType": "ClientException"}, str(error.get_body())

    def _answer(self, action: str) -> dict[str, Any]:
        if action.endswith("Resource"):
            return self._tags(unquote(self.uri_match["resourceArn"]))
        request = json.loads(self.body or "{}")
        if action not in {**_ACTIONS, **_LISTS}:
            raise NotImplementedError(f"Batch's {action}")
        if wrong := request_model.problems("batch", action, request):
            raise refusal(f"Error executing request, Exception : {'; '.join(wrong)}")
        size = len(json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode())
        if size > _LONGEST_BYTES.get(action, size):
            raise refusal(f"{action}: {size} bytes are more than {_LONGEST_BYTES[action]}")
        aws = InProcessAccount(self.region, self.current_account)
        if action in _ACTIONS:
            return _ACTIONS[action](aws, request)
        key, listed = _LISTS[action]
        return _page(key, listed(aws, request), request)

    def _tags(self, name: str) -> dict[str, Any]:
        here = batch_state(self.current_account, self.region)
        jobs_by_arn = {job["jobArn"]: job for job in here.jobs.values()}
        every = {**here.environments, **here.queues, **here.definitions, **jobs_by_arn}
        if name not in every:
            raise refusal(f"resource {name} not found")
        tags: dict[str, str] = every[name].setdefault("tags", {})
        if self.method == "POST":
            tags |= json.loads(self.body)["tags"]
        elif self.method == "DELETE":
            for key in self.querystring.get("tagKeys", []):
                tags.pop(key, None)
        return {"tags": tags} if self.method == "GET" else {}


def _page(key: str, entries: list[dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
    first, size = int(request.get("nextToken") or 0), min(int(request.get("maxResults") or _PAGE), _PAGE)
    more = {"nextToken": str(first + size)} if first + size < len(entries) else {}
    return {key: entries[first : first + size], **more}


RESPONSES = BatchResponse
