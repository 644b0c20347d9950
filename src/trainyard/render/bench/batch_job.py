"""A bandwidth test as a multi-node parallel job of AWS Batch: what SubmitJob is given.

The job definition holds the image, the devices of EFA and what lets the main node reach the others; the job says how
many nodes there are and what to run: its container reads the variables, as Slurm's script does. Another number of nodes
than the definition's needs a node range without an end in it, such as 0:.
https://docs.aws.amazon.com/batch/latest/userguide/multi-node-parallel-jobs.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html
"""

from __future__ import annotations

from typing import Any

from trainyard.render.bench.job import BenchJob

# https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html: letters, digits, hyphens and underscores.
_LONGEST_NAME = 128


def submit_job(job: BenchJob, job_queue: str, job_definition: str) -> dict[str, Any]:
    """Return the parameters of SubmitJob. The queue and the definition are named by name or ARN."""
    # The name that dashboards show: src/trainyard_node/collectors/jobs.py
    environment = {**variables(job), "TRAINYARD_JOB": job.id}
    overrides = {
        "resourceRequirements": [{"type": "GPU", "value": str(job.tasks_per_node * job.gpus_per_task)}],
        "environment": [{"name": name, "value": value} for name, value in environment.items()],
    }
    return {
        "jobName": job.id[:_LONGEST_NAME],
        "jobQueue": job_queue,
        "jobDefinition": job_definition,
        "nodeOverrides": {
            "numNodes": job.nodes,
            "nodePropertyOverrides": [{"targetNodes": "0:", "containerOverrides": overrides}],
        },
        "timeout": {"attemptDurationSeconds": job.time_limit_min * 60},
        "tags": {"trainyard:bench-job": job.id},
        "propagateTags": True,
    }


def variables(job: BenchJob) -> dict[str, str]:
    """Return what the container reads, by the names that Slurm's script has for it, and what the test sets."""
    return {
        "TRAINYARD_BENCH_JOB": job.id,
        "TRAINYARD_INSTANCE_TYPE": job.instance_type,
        "TRAINYARD_PROGRAMS": " ".join(job.binaries),
        "TRAINYARD_ARGUMENTS": " ".join(job.arguments),
        "TRAINYARD_RANKS_PER_NODE": str(job.tasks_per_node),
        "TRAINYARD_VARIABLES": " ".join(job.environment),
        **job.environment,
    }
