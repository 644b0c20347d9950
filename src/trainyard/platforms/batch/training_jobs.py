"""Training runs on AWS Batch: multi-node parallel jobs of the job definition for torchrun."""

from __future__ import annotations

import json
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.platforms.batch.bench_jobs import OnBatch
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import Scheduler
from trainyard.training.batch_request import submit_request
from trainyard.training.job import nodes_of, planned
from trainyard.training.run import Run


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return what SubmitJob is given."""
    return {f"{run.name}.json": json.dumps(_request(run, spec), indent=2) + "\n"}


def job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:  # noqa: ARG001  Batch has no versions
    """Return the job. Raises InputError where its programs are too large to go with it."""
    return planned(run, spec, request=_request(run, spec))


def scheduler(spec: Spec, account: Account, *, ssh: str | None, kubectl: KubectlOf) -> OnBatch:  # noqa: ARG001  there is no host, and no Kubernetes
    """Return the job queues of a cluster."""
    return OnBatch(account, [job_queue(spec, queue.name) for queue in spec.queues], mark="trainyard-run")


def _request(run: Run, spec: Spec) -> dict[str, Any]:
    queue = nodes_of(run, spec).queue.name
    return submit_request(run, spec, job_queue(spec, queue), job_definition(spec, queue, "torchrun"))
