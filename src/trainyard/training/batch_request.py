"""A run as a multi-node parallel job of AWS Batch: what SubmitJob is given.

The job definition for torchrun holds the image, the devices of EFA and the file systems; the job says what is run, and
carries its programs, because Batch hands no files to its containers.
https://docs.aws.amazon.com/batch/latest/userguide/multi-node-parallel-jobs.html
https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trainyard.errors import InputError
from trainyard.spec.cluster import Spec
from trainyard.training.carried_programs import FOLDER, UNPACK, packed
from trainyard.training.job import (
    launch_of_run,
    processes_on_node,
    programs,
    run_folder,
    stop_time,
    variables,
    watch_variables,
    words_of,
)
from trainyard.training.run import Run

_START = Path(__file__).parent / "assets" / "start-batch-node.sh"
# https://docs.aws.amazon.com/batch/latest/APIReference/API_RetryStrategy.html
_MOST_ATTEMPTS = 10
# Of command and environment together, as JSON: https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_RunTask.html
_MOST_LETTERS = 8192


def submit_request(run: Run, spec: Spec, job_queue: str, job_definition: str) -> dict[str, Any]:
    """Return the parameters of SubmitJob. The queue and the definition are named by name or ARN.

    Raises InputError where command and environment are longer than ECS takes.
    """
    carried = packed({**programs(run), _START.name: _START.read_text(encoding="utf-8")})
    command = ["python3", "-c", UNPACK, carried, _START.name, *words_of(run, FOLDER)]
    environment = [{"name": name, "value": value} for name, value in _environment(run, spec).items()]
    overrides = {"command": command, "environment": environment}
    if (letters := len(json.dumps(overrides))) > _MOST_LETTERS:
        problem = f"command and environment of the run have {letters} letters, and ECS takes {_MOST_LETTERS}"
        hint = "shorten arguments and environment, or let a script of the image set them"
        raise InputError(problem, where=run.name, hint=hint)
    return {
        "jobName": run.name,
        "jobQueue": job_queue,
        "jobDefinition": job_definition,
        "nodeOverrides": {
            "numNodes": run.nodes,
            "nodePropertyOverrides": [{"targetNodes": "0:", "containerOverrides": overrides}],
        },
        "retryStrategy": _retries(run),
        "timeout": {"attemptDurationSeconds": round(run.time_limit_h * 3600)},
        "tags": {"trainyard:run": run.name},
        "propagateTags": True,
    }


def _retries(run: Run) -> dict[str, Any]:
    """Return how often it is started again: after a node has gone, and after a failure; not where nothing can help.

    https://docs.aws.amazon.com/batch/latest/userguide/job_retries.html
    """
    return {
        "attempts": min(run.restarts.most + 1, _MOST_ATTEMPTS),
        "evaluateOnExit": [
            {"onReason": "CannotPullContainerError*", "action": "EXIT"},
            {"onStatusReason": "Host EC2*", "action": "RETRY"},
            {"onExitCode": "*", "action": "RETRY"},
        ],
    }


def _environment(run: Run, spec: Spec) -> dict[str, str]:
    launch, stop = launch_of_run(run, spec), stop_time(run)
    return {
        "TRAINYARD_KIND": "script" if run.program.script else "torchrun",
        "TRAINYARD_FOLDER": run.program.folder or "",
        "TRAINYARD_PROGRESS": f"{run_folder(run)}/progress",
        "TRAINYARD_STOP": f"{run_folder(run)}/stop",
        **watch_variables(run),
        **({} if stop is None else {"TRAINYARD_ENDS_AT": str(stop)}),
        # The name that dashboards show: src/trainyard_node/collectors/jobs.py
        "TRAINYARD_JOB": run.name,
        "GPUS_PER_NODE": str(processes_on_node(run, launch)),
        "PYTHONPATH": FOLDER,
        **variables(run, launch),
        # Over ecs-eth0 ECS tells a container its role; it leads to no other node.
        "NCCL_SOCKET_IFNAME": run.environment.get("NCCL_SOCKET_IFNAME", "^lo,docker,ecs"),
    }
