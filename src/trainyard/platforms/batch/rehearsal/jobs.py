"""A job of each job definition of AWS Batch, submitted in a rehearsal and still there when the cluster is destroyed.

No container runs. What is proved is that Batch's API takes each job, on other numbers of nodes than its definition has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.platforms.batch.rendering.names import Job, job_definition, job_queue
from trainyard.render.bench.plan import bench_files
from trainyard.spec.cluster import Spec

_NODES = 1  # every definition has two
# An image without layers: https://github.com/opencontainers/image-spec/blob/main/manifest.md
_EMPTY = {"mediaType": "application/vnd.oci.empty.v1+json", "size": 2, "digest": f"sha256:{sha256(b'{}').hexdigest()}"}
_MANIFEST = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": _EMPTY,
    "layers": [_EMPTY],
}


class JobsOfDefinitions:
    """Submits them, and sees that each has all its nodes."""

    name = "jobs"
    title = "a job of each definition"

    def probe(self, work: Work) -> Probe:
        """Say nothing: nobody asks."""
        del work
        return Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        """Submit one of each. Raises TrainyardError where a job lacks nodes, or what runs on them."""
        batch = work.account.client("batch")
        submitted = []
        for request in _requests(work.required_spec(), work.outputs):
            answer = batch.submit_job(**request)
            work.tell(f"job {answer['jobName']} submitted to {request['jobQueue']}")
            job = batch.describe_jobs(jobs=[answer["jobId"]])["jobs"][0]
            _refuse_incomplete(job, request)
            _push(work, [container["image"] for container in _containers(job)])
            submitted.append(answer["jobName"])
        return StepOutcome(
            changed=bool(submitted), detail=f"{count_text(len(submitted), 'job')} taken: {', '.join(submitted)}"
        )

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: what destroys the cluster ends them."""
        del work
        return StepOutcome(changed=False)


def _requests(spec: Spec, outputs: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what SubmitJob is given, of each queue: of the bandwidth tests what their file in the bundle says."""
    tests = [json.loads(text) for name, text in bench_files(spec).items() if name.endswith(".json")]
    for number, queue in enumerate(spec.queues, 1):
        jobs: tuple[Job, ...] = ("stress", "nccl", "torchrun")
        for job in jobs:
            if f"{job.capitalize()}JobDefinition{number if number > 1 else ''}" not in outputs:
                continue
            definition = job_definition(spec, queue.name, job)
            request = {
                "jobName": f"rehearsed-{queue.name}-{job}",
                "jobQueue": job_queue(spec, queue.name),
                "jobDefinition": definition,
                "nodeOverrides": {"numNodes": _NODES},
                "propagateTags": True,
            }
            yield next((test for test in tests if test["jobDefinition"] == definition), request)


def _push(work: Work, images: list[str]) -> None:
    """Let the cluster's registry have the images that it is to have, as `trainyard batch image` pushes them."""
    url, name = work.outputs.get("ECRRepositoryUrl"), work.outputs.get("ECRRepository")
    tags = [tag for image in images for at, _, tag in [image.rpartition(":")] if at == url]
    registry = work.account.client("ecr")
    for tag in tags:
        manifest = json.dumps({**_MANIFEST, "annotations": {"tag": tag}})
        with suppress(registry.exceptions.ImageAlreadyExistsException):
            registry.put_image(repositoryName=name, imageTag=tag, imageManifest=manifest)


def _containers(job: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        property_.get("container", {}) for property_ in job.get("nodeProperties", {}).get("nodeRangeProperties", ())
    ]


def _refuse_incomplete(job: dict[str, Any], request: dict[str, Any]) -> None:
    nodes, containers = job.get("nodeProperties", {}), _containers(job)
    if nodes.get("numNodes") != request["nodeOverrides"]["numNodes"] or not all(
        container.get("image") for container in containers
    ):
        raise TrainyardError(f"job {job['jobName']} has not the nodes that it was submitted with", where=job["jobId"])
