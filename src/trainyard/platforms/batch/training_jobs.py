"""Training runs on AWS Batch: multi-node parallel jobs of the job definition for torchrun."""

from __future__ import annotations

import json

from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.spec.cluster import Spec
from trainyard.training.batch_request import submit_request
from trainyard.training.job import nodes_of, programs
from trainyard.training.run import Run


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return what SubmitJob is given, and the programs that have to lie in `programs` of the run's folder."""
    queue = nodes_of(run, spec).queue.name
    request = submit_request(run, spec, job_queue(spec, queue), job_definition(spec, queue, "torchrun"))
    text = json.dumps(request, indent=2) + "\n"
    return {f"{run.name}.json": text, **{f"programs/{name}": program for name, program in programs(run).items()}}
