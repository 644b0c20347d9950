"""What is said of Batch clusters: one that is well, and those that are not."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from botocore.response import StreamingBody

from tests.deploy.preflights.recorded import Refusal
from tests.edge.aws.batch_cluster import (
    ENVIRONMENT,
    JOB,
    LOG_GROUP,
    NAME,
    QUEUE,
    REPOSITORY,
    STACK,
    BatchCluster,
    environment,
    instance,
    job,
    ms,
    queue,
    reservation,
)
from trainyard.cli.status_output import print_status, status_values
from trainyard.errors import TrainyardError
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.status_query import status
from trainyard.platforms.batch.status.batch_status import BatchStatus
from trainyard.platforms.batch.status.platform_status import BatchPlatformStatus

WELL = BatchCluster()
BATCH, REGION = "aws batch", "--region us-east-2"
NOT_COME = "did not come to its ECS cluster, so no job gets there"
NOT_ALLOWED = Refusal("AccessDeniedException", "no identity-based policy allows it", 403)


def looked(of: BatchCluster, name: str = NAME, **answers: Any) -> Status:
    return status(name, of.account(**answers))


def batch(found: Status) -> BatchStatus:
    assert isinstance(found.platform, BatchPlatformStatus)
    return found.platform.batch


def whats(found: Status) -> list[tuple[str, str]]:
    return [(concern.severity, concern.what) for concern in found.concerns]


def shown(capsys: pytest.CaptureFixture[str], found: Status) -> str:
    print_status(found)
    return capsys.readouterr().out


@pytest.mark.parametrize(("running", "pending", "idle"), [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_an_hour_of_instances_without_a_job_has_a_price(running: int, pending: int, idle: int):
    id_ = "i-0bbbbbbbbbbbbbbb1"
    known = {"ec2InstanceId": id_, "runningTasksCount": running, "pendingTasksCount": pending}
    of = WELL.but(instances=(instance(),), registered=(id_,))
    hours = looked(of, ecs__DescribeContainerInstances={"containerInstances": [known]}).idle
    assert hours is not None
    assert (sum(line.instances for line in hours.lines), hours.usd_an_hour > 0) == (idle, idle > 0)


def test_a_cluster_that_is_well_is_up_and_told_on_one_screen(capsys):
    of = WELL.but(instances=(instance(),), registered=("i-0bbbbbbbbbbbbbbb1",), jobs=(job("RUNNING"),))
    found = looked(of)
    assert (found.up, whats(found), found.unknown, found.failures) == (True, [], {}, ())
    text = shown(capsys, found)
    assert text.splitlines()[0] == "llm in us-east-2: up"
    assert f"stack {STACK}" in text
    assert (
        f"compute environment {ENVIRONMENT} ENABLED VALID: EC2 p4d.24xlarge, 1 running; vCPUs 0 wanted of 0 to 768"
    ) in text
    assert f"job queue {QUEUE} ENABLED VALID: 1 RUNNING" in text
    assert f"image {REPOSITORY}:nccl of llm-training-nccl: in its registry" in text
    assert f"logs {LOG_GROUP}" in text
    assert f"dashboard {QUEUE}" in text
    assert len(text.splitlines()) < 20


def test_the_instances_are_its_nodes_and_cost_what_the_dated_prices_say():
    of = WELL.but(instances=(instance(minutes_ago=600),), registered=("i-0bbbbbbbbbbbbbbb1",))
    found = looked(of)
    (node,) = found.nodes
    assert (node.role, node.queue, node.compute_resource) == ("Compute", "training", ENVIRONMENT)
    assert found.cost is not None
    assert found.cost.usd == pytest.approx(10 * found.cost.usd_an_hour)


def test_a_stack_that_trainyard_did_not_make_is_a_batch_cluster_by_its_resources(capsys):
    found = looked(WELL.but(stack="theirs", stack_tags={}), "theirs")
    assert (found.up, isinstance(found.platform, BatchPlatformStatus)) == (True, True)
    assert "not made by trainyard" in shown(capsys, found)


def test_an_environment_that_is_invalid_is_the_problem_with_what_batch_says():
    why = "CLIENT_ERROR - The launch template lt-0123456789abcdef0 does not exist"
    found = looked(WELL.but(environments=(environment(status="INVALID", statusReason=why),)))
    assert found.problem == f'compute environment {ENVIRONMENT} is INVALID: "{why}"'
    assert found.concerns[0].command == "trainyard diagnose llm --region us-east-2"


@pytest.mark.parametrize(
    ("changes", "expected", "command"),
    [
        (
            {"environments": (environment(state="DISABLED"),)},
            f"compute environment {ENVIRONMENT} is DISABLED: it starts no instances",
            f"{BATCH} update-compute-environment --compute-environment {ENVIRONMENT} --state ENABLED {REGION}",
        ),
        (
            {"queues": (queue(state="DISABLED"),)},
            f"job queue {QUEUE} is DISABLED: it takes no new jobs",
            f"{BATCH} update-job-queue --job-queue {QUEUE} --state ENABLED {REGION}",
        ),
        (
            {"images": frozenset()},
            f"image {REPOSITORY}:nccl is not in its registry: jobs of llm-training-nccl cannot start",
            f"trainyard batch image llm nccl {REGION}",
        ),
        (
            {"instances": (instance(),)},
            f"1 instance of compute environment {ENVIRONMENT} (i-0bbbbbbbbbbbbbbb1) {NOT_COME}",
            "trainyard diagnose llm --region us-east-2",
        ),
    ],
    ids=["environment disabled", "queue disabled", "image missing", "not registered"],
)
def test_what_will_keep_jobs_from_running_is_a_warning_with_the_next_command(changes, expected, command):
    (concern,) = looked(WELL.but(**changes)).concerns
    assert (concern.severity, concern.what, concern.command) == ("warning", expected, command)


def test_of_an_image_of_somebody_else_what_is_in_its_repository_is_the_next_question():
    (concern,) = looked(WELL.but(images=frozenset(), stack="theirs", stack_tags={}), "theirs").concerns
    assert concern.command == f"aws ecr describe-images --repository-name llm-batch-repository-ab12 {REGION}"


def test_an_instance_that_has_just_started_is_no_concern():
    assert whats(looked(WELL.but(instances=(instance(minutes_ago=10),)))) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"environments": ()}, f"compute environment {ENVIRONMENT} is not there any more"),
        ({"queues": ()}, f"job queue {QUEUE} is not there any more"),
    ],
    ids=["environment", "queue"],
)
def test_what_the_stack_names_and_is_gone_is_an_error(changes, expected):
    assert ("error", expected) in whats(looked(WELL.but(**changes)))


def test_a_job_that_waits_is_told_with_what_batch_says_of_it(capsys):
    why = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Service cannot fulfill the capacity requested"
    found = looked(WELL.but(jobs=(job("RUNNABLE", minutes_ago=20, statusReason=why),)))
    what = f'job bench ({JOB}) of queue {QUEUE} is RUNNABLE, submitted 20 min ago: "{why}"'
    assert whats(found) == [("warning", what)]
    line = f'waiting in {QUEUE}: bench ({JOB}, 2 nodes) since 2027-01-15T07:40:00+00:00: "{why}"'
    assert line in shown(capsys, found)


@pytest.mark.parametrize(("minutes", "told"), [(20, False), (40, True)])
def test_a_job_of_which_batch_says_nothing_is_a_concern_when_it_waits_for_long(minutes, told):
    found = looked(WELL.but(jobs=(job("RUNNABLE", minutes_ago=minutes),)))
    assert bool(found.concerns) == told


def test_jobs_behind_the_first_are_no_concern_of_their_own():
    second = job("RUNNABLE", minutes_ago=50) | {"jobId": "second"}
    found = looked(WELL.but(jobs=(second, job("RUNNABLE", minutes_ago=60))))
    assert [JOB in concern.what for concern in found.concerns] == [True]
    assert [waiting.id for waiting in batch(found).waiting] == [JOB, "second"]


def test_jobs_that_failed_in_the_last_day_are_told_once_for_each_reason(capsys):
    why = "Essential container in task exited"
    former = job("FAILED", minutes_ago=120, statusReason=why) | {"jobId": "former"}
    old = job("FAILED", minutes_ago=3000, statusReason="long ago") | {"jobId": "old"}
    found = looked(WELL.but(jobs=(former, job("FAILED", minutes_ago=60, statusReason=why), old)))
    (failure,) = found.failures
    assert (failure.place, failure.times) == (f"queue {QUEUE}", 2)
    assert failure.what == f'job bench: "{why}" ({JOB})'
    assert whats(found) == [("warning", "something failed lately")]
    assert "2 or more" not in shown(capsys, found)


def test_jobs_are_counted_to_a_bound_and_no_further(capsys):
    page = [{"jobId": f"job-{n}", "jobName": "many", "createdAt": ms(5)} for n in range(100)]
    endless = {"jobSummaryList": page, "nextToken": "more"}
    found = looked(WELL, batch__ListJobs=lambda asked: endless if asked["jobStatus"] == "RUNNING" else _none())
    (one,) = batch(found).queues
    assert (one.jobs, one.more) == ({"RUNNING": 500}, ("RUNNING",))
    assert "500 or more RUNNING" in shown(capsys, found)


def _none() -> dict[str, Any]:
    return {"jobSummaryList": []}


def test_the_reservation_of_the_launch_template_is_told_with_its_end():
    target = {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}}
    of = WELL.but(launch_template={"CapacityReservationSpecification": target}, reservations=(reservation(),))
    (found,) = looked(of).reservations
    assert (found.id, found.queues, found.total, found.state) == ("cr-0123456789abcdef0", (QUEUE,), 4, "active")
    missing = looked(of.but(reservations=()))
    assert [concern.what for concern in missing.concerns] == [
        f"cr-0123456789abcdef0 of queue {QUEUE} does not exist in this account and region"
    ]


@pytest.mark.parametrize(
    ("operation", "part"),
    [
        ("batch__DescribeComputeEnvironments", "compute environments"),
        ("batch__DescribeJobQueues", "job queues"),
        ("batch__ListJobs", f"jobs of {QUEUE}"),
        ("ecs__ListContainerInstances", "instances that ECS knows"),
        ("ecr__DescribeImages", "images"),
        ("ec2__DescribeLaunchTemplateVersions", "reservations"),
    ],
)
def test_a_part_that_may_not_be_looked_at_says_so_and_the_others_are_told(operation, part):
    answers: dict[str, Any] = {operation: NOT_ALLOWED}
    found = looked(WELL, **answers)
    permission = operation.replace("__", ":")
    assert found.unknown == {part: f"not allowed: {permission}"}
    assert found.up


def test_nobody_misses_what_only_other_platforms_have():
    assert looked(WELL, dynamodb__GetItem=NOT_ALLOWED).unknown == {}


def test_a_cluster_whose_stack_is_gone_and_that_is_remembered_is_not_there():
    record = (
        '{"name": "llm", "region": "us-east-2", "stage": "deployed", "trainyard_version": "1", '
        '"parallelcluster_version": "3", "spec_text": "platform: batch\\n", "cluster_config": null, '
        '"since": "2026-11-22", "fleet_stopped": false}'
    )
    found = looked(WELL.but(stack="other", stack_tags={}), s3__GetObject=_object(record))
    assert (found.problem, isinstance(found.platform, BatchPlatformStatus)) == ("the cluster itself is not there", True)


def _object(text: str) -> Any:
    return lambda _: {"Body": StreamingBody(BytesIO(text.encode()), len(text)), "ETag": '"1"'}


def test_a_name_that_nobody_has_is_one_clear_error():
    with pytest.raises(TrainyardError, match="there is no cluster nobody-s in us-east-2, and no environment"):
        looked(WELL.but(stack_tags={}), "nobody-s")


def test_no_name_of_somebody_else_commands_the_terminal(capsys):
    hostile = "\x1b[2J\nx"
    of = WELL.but(
        environments=(environment(status="INVALID", statusReason=hostile),),
        jobs=(job("RUNNABLE", jobName=hostile, statusReason=hostile),),
    )
    text = shown(capsys, looked(of))
    assert "\x1b" not in text
    assert "\nx" not in text


def test_all_of_it_is_json():
    of = WELL.but(jobs=(job("RUNNABLE"),), instances=(instance(),))
    values = status_values(looked(of))["batch"]
    assert values["stack"] == STACK
    assert values["compute_environments"][0]["states"] == {"running": 1}
    assert values["compute_environments"][0]["late"] == ("i-0bbbbbbbbbbbbbbb1",)
    assert values["job_queues"][0]["jobs"] == {"RUNNABLE": 1}
    assert values["waiting"][0]["nodes"] == 2
    assert values["images"] == [{"image": f"{REPOSITORY}:nccl", "definitions": ("llm-training-nccl",), "there": True}]
