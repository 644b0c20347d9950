"""A job of each job definition of AWS Batch, submitted in a rehearsal and still there when the cluster is destroyed.

No container runs. What is proved is that Batch's API takes each job, on other numbers of nodes than its definition has.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainyard.deploy.step import Outcome, Probe
from trainyard.errors import TrainyardError
from trainyard.render.batch.names import job_definition, job_queue
from trainyard.render.bench.files import bench_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.deploy.work import Work
    from trainyard.render.batch.names import Job
    from trainyard.spec.cluster import Spec

_NODES = 1  # every definition has two


class JobsOfDefinitions:
    """Submits them, and sees that each has all its nodes."""

    name = "jobs"
    title = "a job of each definition"

    def probe(self, work: Work) -> Probe:
        """Say nothing: nobody asks."""
        del work
        return Probe("missing")

    def apply(self, work: Work) -> Outcome:
        """Submit one of each. Raises TrainyardError where a job lacks nodes, or what runs on them."""
        batch = work.account.client("batch")
        submitted = []
        for asked in _requests(work.wanted(), work.outputs):
            made = batch.submit_job(**asked)
            work.tell(f"job {made['jobName']} submitted to {asked['jobQueue']}")
            _refuse_incomplete(batch.describe_jobs(jobs=[made["jobId"]])["jobs"][0], asked)
            submitted.append(made["jobName"])
        return Outcome(changed=bool(submitted), detail=f"{len(submitted)} jobs taken: {', '.join(submitted)}")

    def undo(self, work: Work) -> Outcome:
        """Do nothing: what destroys the cluster ends them."""
        del work
        return Outcome(changed=False)


def _requests(spec: Spec, outputs: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what SubmitJob is given, of each queue: of the bandwidth tests what their file in the bundle says."""
    tests = [json.loads(text) for name, text in bench_files(spec).items() if name.endswith(".json")]
    for number, queue in enumerate(spec.queues, 1):
        jobs: tuple[Job, ...] = ("stress", "nccl", "torchrun")
        for job in jobs:
            if f"{job.capitalize()}JobDefinition{number if number > 1 else ''}" not in outputs:
                continue
            definition = job_definition(spec, queue.name, job)
            asked = {
                "jobName": f"rehearsed-{queue.name}-{job}",
                "jobQueue": job_queue(spec, queue.name),
                "jobDefinition": definition,
                "nodeOverrides": {"numNodes": _NODES},
                "propagateTags": True,
            }
            yield next((one for one in tests if one["jobDefinition"] == definition), asked)


def _refuse_incomplete(job: dict[str, Any], asked: dict[str, Any]) -> None:
    nodes = job.get("nodeProperties", {})
    containers = [one.get("container", {}) for one in nodes.get("nodeRangeProperties", ())]
    if nodes.get("numNodes") != asked["nodeOverrides"]["numNodes"] or not all(one.get("image") for one in containers):
        raise TrainyardError(f"job {job['jobName']} has not the nodes that it was submitted with", where=job["jobId"])
