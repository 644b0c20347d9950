"""Jobs as AWS Batch takes them, judged by botocore's model of its API."""

from __future__ import annotations

import re

import botocore.session
import pytest
from botocore.validate import ParamValidator

from tests.render.bench.specs import with_queue
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.plan import jobs_for

JOBS = jobs_for(with_queue(nodes="16"))


def problems(parameters: dict[str, object]) -> str:
    service = botocore.session.get_session().get_service_model("batch")
    report = ParamValidator().validate(parameters, service.operation_model("SubmitJob").input_shape)
    return str(report.generate_report())


@pytest.mark.parametrize("job", JOBS, ids=lambda one: one.id)
def test_the_model_of_the_api_accepts_every_job(job):
    assert problems(submit_job(job, "gpu-queue", "nccl-tests:3")) == ""


def test_the_model_would_find_a_wrong_key():
    parameters = submit_job(JOBS[0], "gpu-queue", "nccl-tests:3")
    parameters["nodeOverrides"]["nodes"] = 2
    assert "nodes" in problems(parameters)


@pytest.mark.parametrize("job", JOBS, ids=lambda one: one.id)
def test_names_are_what_batch_allows(job):
    """https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html: up to 128 of these."""
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", submit_job(job, "q", "d")["jobName"])


def test_every_node_gets_its_gpus_the_program_and_the_variables():
    job = next(job for job in JOBS if job.environment.get("NCCL_ALGO") == "Ring")
    made = submit_job(job, "gpu-queue", "nccl-tests:3")
    (nodes,) = made["nodeOverrides"]["nodePropertyOverrides"]
    told = {one["name"]: one["value"] for one in nodes["containerOverrides"]["environment"]}
    assert (made["nodeOverrides"]["numNodes"], nodes["targetNodes"]) == (16, "0:")
    assert nodes["containerOverrides"]["resourceRequirements"] == [{"type": "GPU", "value": "8"}]
    assert (told["NCCL_ALGO"], told["TRAINYARD_PROGRAMS"]) == ("Ring", "all_reduce_perf")
    assert told["TRAINYARD_ARGUMENTS"].split() == list(job.arguments)
    assert made["timeout"] == {"attemptDurationSeconds": 60 * job.time_limit_min}
