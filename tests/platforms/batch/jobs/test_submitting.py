"""What is submitted: the definition and queue that are meant, and nothing that Batch would refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.platforms.batch.jobs.scripted_batch import (
    ARN,
    ScriptedBatch,
    definition,
    make_stack,
    outputs,
    scripted_cluster,
)
from tests.platforms.batch.rendering.api_model import problems
from trainyard.api.batch_submit import JobOptions, submit_batch_job
from trainyard.edge.aws.batch_job_state import find_definition
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.jobs.request import job_name, submit_parameters


@pytest.fixture
def batch() -> Iterator[ScriptedBatch]:
    with scripted_cluster() as made:
        yield made


def submitted(batch: ScriptedBatch, *arguments: Any, **more: Any) -> dict[str, Any]:
    assert batch.account is not None
    submit_batch_job("lab", batch.account, *arguments, **more)
    return batch.submitted[-1]


@pytest.mark.parametrize(
    ("arguments", "queue", "definition_"),
    [
        ((), "lab-training", "lab-training-stress:3"),
        (("nccl",), "lab-training", "lab-training-nccl:3"),
        (("torchrun", None), "lab-training", "lab-training-torchrun:3"),
        (("stress",), "lab-training", "lab-training-stress:3"),
        (("lab-small-nccl",), "lab-small", "lab-small-nccl:3"),
        (("small-nccl",), "lab-small", "lab-small-nccl:3"),
        (("lab-small-nccl:3",), "lab-small", "lab-small-nccl:3"),
        ((f"{ARN}:job-definition/lab-small-nccl:3",), "lab-small", "lab-small-nccl:3"),
    ],
)
def test_a_job_goes_to_its_queue(batch: ScriptedBatch, arguments: tuple[Any, ...], queue: str, definition_: str):
    made = submitted(batch, *arguments)
    assert made["jobQueue"] == f"{ARN}:job-queue/{queue}"
    assert made["jobDefinition"] == f"{ARN}:job-definition/{definition_}"
    assert set(made) == {"jobName", "jobQueue", "jobDefinition"}


@pytest.mark.parametrize("queue", ["small", "lab-small"])
def test_a_queue_that_is_named_has_its_own_definitions(batch: ScriptedBatch, queue: str):
    made = submitted(batch, "nccl", queue=queue)
    assert (made["jobQueue"], made["jobDefinition"]) == (
        f"{ARN}:job-queue/lab-small", f"{ARN}:job-definition/lab-small-nccl:3",
    )  # fmt: skip


def test_the_end_of_a_definitions_name_means_that_of_the_queue_which_is_named(batch: ScriptedBatch):
    assert submitted(batch, "stress", queue="small")["jobDefinition"].endswith("lab-small-stress:3")


@pytest.mark.parametrize(
    ("wanted", "where", "said"),
    [
        (JobOptions(environment=(("A", "ä" * 16_000),)), "--env, --command", "bytes, and Batch takes 30,720"),
        (JobOptions(command=("echo", "x" * 31_000)), "--env, --command", "bytes, and Batch takes 30,720"),
        (JobOptions(nodes=2**31), "--nodes", "2,147,483,648 nodes"),
    ],
    ids=["environment", "command", "nodes"],
)
def test_a_request_that_batch_would_refuse_for_its_size_is_not_made(
    batch: ScriptedBatch, wanted: JobOptions, where: str, said: str
):
    with pytest.raises(InputError, match=said) as caught:
        submitted(batch, "nccl", wanted)
    assert caught.value.where == where
    assert batch.submitted == []


def test_the_latest_revision_of_a_definition_is_taken(batch: ScriptedBatch):
    batch.definitions += [definition("mine", 1), definition("mine", 12), definition("mine", 2)]
    assert submitted(batch, "mine")["jobDefinition"].endswith("mine:12")


def test_what_is_wanted_overrides_every_range_of_nodes(batch: ScriptedBatch):
    batch.definitions.append(definition("mine", ranges=("0:0", "1:")))
    wanted = JobOptions(5, (("A", "1"), ("A", "2=3"), ("B", "")), ("bash", "-c", "date"), 3)
    made = submitted(batch, "mine", wanted)
    overrides = {
        "command": ["bash", "-c", "date"],
        "environment": [{"name": "A", "value": "2=3"}, {"name": "B", "value": ""}],
    }
    assert made["nodeOverrides"] == {
        "numNodes": 5,
        "nodePropertyOverrides": [
            {"targetNodes": "0:0", "containerOverrides": overrides},
            {"targetNodes": "1:", "containerOverrides": overrides},
        ],
    }
    assert made["retryStrategy"] == {"attempts": 3}


def test_the_number_of_the_definition_overrides_nothing(batch: ScriptedBatch):
    assert "nodeOverrides" not in submitted(batch, "nccl", JobOptions(2))


@pytest.mark.parametrize(
    ("ranges", "main_node", "nodes", "said"),
    [
        (("0:1",), 0, 4, "always has 2 nodes: its ranges of nodes (0:1) have an end"),
        (("0:2", "3:"), 0, 3, "3 nodes are too few for the ranges 0:2, 3:"),
        (("0:",), 1, 1, "1 nodes are too few for the ranges 0:"),
    ],
)
def test_a_number_of_nodes_that_batch_refuses_is_refused_before(
    batch: ScriptedBatch, ranges: tuple[str, ...], main_node: int, nodes: int, said: str
):
    batch.definitions.append(definition("mine", ranges=ranges, main_node=main_node))
    with pytest.raises(InputError, match=re.escape(said)):
        submitted(batch, "mine", JobOptions(nodes))
    assert batch.submitted == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (JobOptions(0), "a job has no 0 nodes"),
        (JobOptions(attempts=11), "11 attempts are not possible"),
        (JobOptions(environment=(("A B", "1"),)), "'A B' is no name of a variable"),
        (JobOptions(environment=(("AWS_BATCH_JOB_ID", "1"),)), "AWS Batch keeps names like AWS_BATCH_JOB_ID to itself"),
    ],
)
def test_what_no_job_can_have_is_refused_before_anything_is_asked(batch: ScriptedBatch, wanted: JobOptions, said: str):
    with pytest.raises(InputError, match=said):
        submitted(batch, "nccl", wanted)
    assert batch.asked == []


def test_a_definition_for_single_containers_is_refused(batch: ScriptedBatch):
    batch.definitions.append(definition("mine", type_="container"))
    with pytest.raises(InputError, match="mine is of type container, and no multi-node job"):
        submitted(batch, "mine")


def test_a_definition_that_does_not_exist_is_told_with_those_that_are_near(batch: ScriptedBatch):
    with pytest.raises(InputError, match="there is no active job definition torchrum") as told:
        submitted(batch, "torchrum")
    assert "torchrun" in str(told.value.hint)


def test_a_queue_that_does_not_exist_is_told_with_those_that_do(batch: ScriptedBatch):
    with pytest.raises(InputError, match="lab has no queue 'big'") as told:
        submitted(batch, "nccl", queue="big")
    assert told.value.hint == "it has training, small"


def test_a_queue_without_gpus_has_no_bandwidth_tests(batch: ScriptedBatch):
    assert batch.account is not None
    batch.account.client("cloudformation").delete_stack(StackName="lab-batch")
    made = outputs("training")
    del made["NcclJobDefinition"]
    make_stack(batch.account, made)
    with pytest.raises(InputError, match="the queue lab-training has no job nccl") as told:
        submitted(batch, "nccl")
    assert told.value.hint == "it has stress-ng, torchrun"


def test_more_nodes_than_the_queue_may_have_are_warned_of(batch: ScriptedBatch):
    told: list[str] = []
    submitted(batch, "nccl", JobOptions(8), tell=told.append)
    assert told == []
    submitted(batch, "nccl", JobOptions(9), tell=told.append)
    assert "".join(told) == (
        "9 nodes have 864 vCPUs, and the queue lab-training may have 768 (8 nodes): the job waits until its spec has "
        "more nodes and is deployed again"
    )


def test_who_may_not_look_at_compute_environments_may_still_submit(batch: ScriptedBatch):
    batch.refuses = {"DescribeComputeEnvironments": "AccessDeniedException"}
    assert submitted(batch, "nccl", JobOptions(99))["nodeOverrides"] == {"numNodes": 99}


def test_a_refusal_of_batch_is_told(batch: ScriptedBatch):
    batch.refuses = {"SubmitJob": "AccessDeniedException"}
    with pytest.raises(TrainyardError, match="not allowed: batch:SubmitJob"):
        submitted(batch, "nccl")


def test_a_stack_that_was_made_by_hand_is_a_cluster_too(batch: ScriptedBatch):
    assert batch.account is not None
    batch.account.client("cloudformation").delete_stack(StackName="lab-batch")
    make_stack(batch.account, outputs("training"), name="AWS-Batch")
    submit_batch_job("AWS-Batch", batch.account)
    assert batch.submitted[0]["jobDefinition"].endswith("lab-training-stress:3")


@pytest.mark.parametrize("name", ["nope", "batch"])
def test_a_cluster_that_does_not_exist_is_told(batch: ScriptedBatch, name: str):
    assert batch.account is not None
    with pytest.raises(TrainyardError, match=f"there is no stack {name}-batch in us-east-2"):
        submit_batch_job(name, batch.account)


def test_a_stack_without_job_queues_is_told(batch: ScriptedBatch):
    assert batch.account is not None
    make_stack(batch.account, {}, name="other-batch", repository="other")
    with pytest.raises(TrainyardError, match="stack other-batch is CREATE_COMPLETE and has no job queue"):
        submit_batch_job("other", batch.account)


@pytest.mark.parametrize("name", ["", "a b", "$(x)", "a" * 129])
def test_what_is_no_name_is_refused(batch: ScriptedBatch, name: str):
    assert batch.account is not None
    with pytest.raises(InputError, match="is no name of a cluster"):
        submit_batch_job(name, batch.account)


@pytest.mark.parametrize("wanted", ["a/b:3 c", "-x", "é", "", "x" * 200])
def test_a_name_of_a_job_is_what_batch_allows(wanted: str):
    """https://docs.aws.amazon.com/batch/latest/APIReference/API_SubmitJob.html."""
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", job_name(wanted))


def test_the_model_of_the_api_would_find_a_wrong_payload(batch: ScriptedBatch):
    assert batch.account is not None
    job_definition = find_definition(batch.account, "lab-training-nccl")
    assert job_definition is not None
    made = submit_parameters("x", "q", job_definition, JobOptions(4, (("A", "1"),)))
    assert problems("batch", "SubmitJob", made) == []
    made["nodeOverrides"]["nodePropertyOverrides"][0]["containerOverride"] = {}
    assert problems("batch", "SubmitJob", made) != []
