"""Why a Batch cluster does not run its jobs: by what AWS says, and by how its parts go together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.edge.aws.batch_cluster import (
    ENVIRONMENT,
    JOB,
    LOG_GROUP,
    NAME,
    REPOSITORY,
    SUBNET,
    VPC,
    BatchCluster,
    activity,
    at,
    container,
    container_instance,
    environment,
    instance,
    job,
    node_of,
    queue,
    reservation,
)
from tests.operate.logs.batch_planted import with_logs
from tests.operate.logs.planted import now_ms, put
from trainyard.api.diagnose import diagnose_cluster
from trainyard.diagnose.diagnosis import Diagnosis
from trainyard.errors import InputError

ROLE = "arn:aws:iam::123456789012:role/llm-batch-InstanceRole"
I1 = "i-0bbbbbbbbbbbbbbb1"
NOT_ALLOWED = Refusal("AccessDeniedException", "no identity-based policy allows it", 403)
TYPE = {
    "InstanceType": "p4d.24xlarge",
    "VCpuInfo": {"DefaultVCpus": 96},
    "MemoryInfo": {"SizeInMiB": 1_179_648},
    "GpuInfo": {"Gpus": [{"Name": "A100", "Count": 8}]},
}
NAT = {"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-0123456789abcdef0", "State": "active"}
INTERNET = {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-0123456789abcdef0", "State": "active"}
PROFILE: dict[str, Any] = {
    "Path": "/",
    "InstanceProfileName": "p",
    "InstanceProfileId": "AIPA0123456789ABCDEF",
    "Arn": "arn:aws:iam::123456789012:instance-profile/p",
    "CreateDate": at(600),
    "Roles": [
        {"Path": "/", "RoleName": "r", "RoleId": "AROA0123456789ABCDEF", "Arn": ROLE, "CreateDate": at(600)}
    ],
}  # fmt: skip


def decided(asked: Mapping[str, Any], refused: str = "") -> dict[str, Any]:
    results = [
        {"EvalActionName": name, "EvalDecision": "implicitDeny" if name == refused else "allowed"}
        for name in asked["ActionNames"]
    ]
    return {"EvaluationResults": results}


def routes(*found: dict[str, Any]) -> dict[str, Any]:
    return {"RouteTables": [{"RouteTableId": "rtb-1", "Associations": [{"Main": True}], "Routes": list(found)}]}


WELL: dict[str, Any] = {
    "iam__GetInstanceProfile": {"InstanceProfile": PROFILE},
    "iam__SimulatePrincipalPolicy": decided,
    "ec2__DescribeInstanceTypes": {"InstanceTypes": [TYPE]},
    "ec2__DescribeSubnets": {"Subnets": [{"SubnetId": SUBNET, "VpcId": VPC, "AvailabilityZone": "us-east-2a"}]},
    "ec2__DescribeRouteTables": routes(NAT),
    "ec2__DescribeVpcEndpoints": {"VpcEndpoints": []},
    "ec2__DescribeImages": {"Images": []},
    "service-quotas__GetServiceQuota": {"Quota": {"QuotaName": "Running On-Demand P instances", "Value": 768.0}},
}
WAITING = BatchCluster(jobs=(job("RUNNABLE"),))


def diagnosed(of: BatchCluster, **answers: Any) -> Diagnosis:
    return diagnose_cluster(NAME, of.account(**{**WELL, **answers}))


def causes(found: Diagnosis) -> list[str]:
    return [cause.cause.id for cause in found.causes]


def first_line(found: Diagnosis) -> str:
    return found.causes[0].evidence[0].text


def stuck(reason: str) -> BatchCluster:
    return BatchCluster(jobs=(job("RUNNABLE", statusReason=reason),))


def test_a_cluster_that_is_well_has_no_causes():
    diagnosis = diagnosed(WAITING.but(instances=(instance(),), registered=(I1,)))
    assert (causes(diagnosis), diagnosis.unrecognised) == ([], ())
    assert [unread.name for unread in diagnosis.unread] == ["its logs in CloudWatch"]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Service cannot fulfill", "ec2-insufficient-capacity"),
        ("MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE - CE(s)", "batch-max-vcpus-too-low"),
        ("MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT - The job resource", "batch-job-too-big"),
        ("MISCONFIGURATION:SERVICE_ROLE_PERMISSIONS – Batch service role", "batch-service-role-permissions"),
        ("MISCONFIGURATION:EC2_INSTANCE_CONFIGURATION_UNSUPPORTED - Your", "batch-instance-type-unsupported"),
        ("ACTION_REQUIRED - CE(s) associated with the job queue are invalid.", "batch-compute-environment-invalid"),
        ("UNDETERMINED - Batch job is blocked, root cause is undetermined.", "batch-blocked-undetermined"),
    ],
)
def test_what_batch_says_of_a_job_that_waits_is_the_cause(reason, cause):
    diagnosis = diagnosed(stuck(reason))
    assert causes(diagnosis) == [cause]
    assert f'"jobId": "{JOB}", "jobName": "bench", "status": "RUNNABLE", "statusReason": "{reason}"' in first_line(
        diagnosis
    )


@pytest.mark.parametrize(
    ("why", "cause"),
    [
        (
            "We currently do not have sufficient p4d.24xlarge capacity in the Availability Zone you requested",
            "ec2-insufficient-capacity",
        ),
        (
            "You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket",
            "ec2-vcpu-quota-exceeded",
        ),
        (
            "The requested reservation does not have sufficient compatible and available capacity for this request.",
            "capacity-reservation-too-small",
        ),
    ],
    ids=["capacity", "quota", "reservation"],
)
def test_what_auto_scaling_says_of_launches_that_failed_is_the_cause(why, cause):
    diagnosis = diagnosed(WAITING.but(activities=(activity(f"{why}. Launching EC2 instance failed."),)))
    assert causes(diagnosis) == [cause]
    assert diagnosis.causes[0].evidence[0].file == "batch-launches"


def test_an_environment_that_is_invalid_is_the_cause_with_what_batch_says_of_it():
    why = "CLIENT_ERROR - Instance profile arn:aws:iam::123456789012:instance-profile/p does not exist"
    diagnosis = diagnosed(BatchCluster(environments=(environment(status="INVALID", statusReason=why),)))
    assert causes(diagnosis) == ["batch-compute-environment-invalid"]
    assert why in first_line(diagnosis)


def bigger(**needs: str) -> BatchCluster:
    return BatchCluster(jobs=(job("RUNNABLE", container=container(needs=needs)),))


def changed(**resources: Any) -> tuple[dict[str, Any], ...]:
    return (environment(computeResources=resources),)


RESERVED = {"CapacityReservationSpecification": {"CapacityReservationTarget": {
    "CapacityReservationId": "cr-0123456789abcdef0"}}}  # fmt: skip
INTO_RESERVATION = WAITING.but(launch_template=RESERVED)
WHO = f"job bench ({JOB})"


@pytest.mark.parametrize(
    ("of", "answers", "cause", "line"),
    [
        (
            WAITING.but(environments=changed(maxvCpus=96)), {}, "batch-max-vcpus-too-low",
            f"{WHO} needs 192 vCPUs on 2 nodes, more than the 96 that compute environment {ENVIRONMENT} may ever have",
        ),
        (
            bigger(MEMORY="1200000"), {}, "batch-job-too-big",
            f"{WHO} asks for 1200000 MiB of memory on a node, more than the 1179648 of p4d.24xlarge",
        ),
        (bigger(GPU="16"), {}, "batch-job-too-big", f"{WHO} asks for 16 GPUs on a node, more than the 8 of"),
        (
            bigger(MEMORY="1170000").but(instances=(instance(),), registered=(I1,)), {}, "batch-job-too-big",
            "asks for 1170000 MiB of memory on a node, more than the 1147000 that p4d.24xlarge has beside the agent",
        ),
        (
            WAITING.but(environments=changed(instanceTypes=["p5.48xlarge"])), {}, "batch-instance-type-not-allowed",
            f"{WHO} wants instances of p4d.24xlarge, and compute environment {ENVIRONMENT} has only p5.48xlarge",
        ),
        (
            WAITING.but(environments=changed(type="SPOT")), {}, "batch-multi-node-on-spot",
            f"{WHO} has 2 nodes, and compute environment {ENVIRONMENT} is of type SPOT, where no multi-node job runs",
        ),
        (
            WAITING.but(environments=(environment(state="DISABLED"),)), {}, "batch-environment-disabled",
            f"compute environment {ENVIRONMENT} is DISABLED and starts no instances; {WHO} waits for it",
        ),
        (
            BatchCluster(queues=(queue(state="DISABLED"),)), {}, "batch-queue-disabled",
            "job queue llm-training is DISABLED and takes no new jobs",
        ),
        (
            WAITING.but(
                environments=changed(desiredvCpus=768), jobs=(job("RUNNABLE"), job("RUNNING") | {"jobId": "other"})
            ),
            {}, "batch-environment-full",
            f"768 of the 768 vCPUs of compute environment {ENVIRONMENT} are in use by jobs before it",
        ),
        (
            WAITING, {"iam__GetInstanceProfile": Refusal("NoSuchEntity", status=404)}, "batch-instance-profile-missing",
            f"instance profile llm-batch-InstanceProfile-AB12 of compute environment {ENVIRONMENT} does not exist",
        ),
        (
            WAITING, {"iam__GetInstanceProfile": {"InstanceProfile": {**PROFILE, "Roles": []}}},
            "batch-instance-profile-missing", f"of compute environment {ENVIRONMENT} has no role",
        ),
        (
            WAITING, {"iam__SimulatePrincipalPolicy": lambda asked: decided(asked, "ecs:Poll")},
            "batch-instance-role-lacks-rights", "is not allowed to do what the ECS agent needs: ecs:Poll",
        ),
        (
            WAITING.but(images=frozenset()), {}, "batch-image-missing",
            f"image {REPOSITORY}:nccl of {WHO} is not in its registry",
        ),
        (
            WAITING.but(instances=(instance(minutes_ago=40),)), {}, "ecs-instance-not-registered",
            f"instance {I1} of compute environment {ENVIRONMENT} runs for 40 minutes and is not in ECS cluster AWS",
        ),
        (
            WAITING, {"ec2__DescribeRouteTables": routes()}, "batch-subnet-without-way-out",
            f"has no way to ECS: no default route, and {VPC} has no endpoint for ecs, ecs-agent, ecs-telemetry",
        ),
        (
            WAITING, {"ec2__DescribeRouteTables": routes(INTERNET)}, "batch-subnet-without-way-out",
            f"its default route leads to igw-0123456789abcdef0, nodes get no public address, and {VPC} has no",
        ),
        (
            WAITING.but(launch_template=None), {}, "launch-names-what-is-missing",
            f"launch template lt-0123456789abcdef0 with version 1 of compute environment {ENVIRONMENT} does not exist",
        ),
        (
            WAITING.but(environments=changed(imageId="ami-0123456789abcdef0")), {}, "launch-names-what-is-missing",
            f"image ami-0123456789abcdef0 of compute environment {ENVIRONMENT} is not there, or not shared",
        ),
        (
            INTO_RESERVATION, {}, "capacity-reservation-expired",
            f"capacity reservation ID 'cr-0123456789abcdef0' of compute environment {ENVIRONMENT} does not exist",
        ),
        (
            INTO_RESERVATION.but(reservations=(reservation(State="cancelled"),)), {}, "capacity-reservation-expired",
            f"capacity reservation cr-0123456789abcdef0 is in state cancelled, of compute environment {ENVIRONMENT}",
        ),
        (
            INTO_RESERVATION.but(
                reservations=(
                    reservation(ReservationType="capacity-block", State="scheduled", StartDate=at(-600)),
                )
            ),
            {}, "capacity-block-not-started", "is in state scheduled, of compute environment",
        ),
        (
            INTO_RESERVATION.but(reservations=(reservation(InstanceType="p5.48xlarge"),)), {},
            "capacity-reservation-mismatch", f"is for p5.48xlarge, and compute environment {ENVIRONMENT} has p4d",
        ),
        (
            INTO_RESERVATION.but(reservations=(reservation(AvailabilityZone="us-east-2b"),)), {},
            "capacity-reservation-mismatch", f"in zone us-east-2b, and compute environment {ENVIRONMENT} in us-east-2a",
        ),
        (
            INTO_RESERVATION.but(reservations=(reservation(AvailableInstanceCount=1),)), {},
            "capacity-reservation-too-small", f"environment {ENVIRONMENT} has 1 of 4 left",
        ),
        (
            WAITING, {"service-quotas__GetServiceQuota": {"Quota": {"QuotaName": "P", "Value": 96.0}}},
            "ec2-vcpu-quota-exceeded", f"{WHO} needs 192 vCPUs, and the account may run 96: quota L-417A185B (P)",
        ),
    ],
)  # fmt: skip
def test_what_aws_does_not_say_is_found_by_comparing(of, answers, cause, line):
    diagnosis = diagnosed(of, **answers)
    assert causes(diagnosis) == [cause]
    assert first_line(diagnosis).startswith("batch check: ")
    assert line in first_line(diagnosis)


def test_a_group_of_reservations_that_is_empty_is_the_cause():
    group = "arn:aws:resource-groups:us-east-2:123456789012:group/llm"
    target = {"CapacityReservationTarget": {"CapacityReservationResourceGroupArn": group}}
    of = WAITING.but(launch_template={"CapacityReservationSpecification": target})
    diagnosis = diagnosed(of, **{"resource-groups__ListGroupResources": {"Resources": []}})
    assert causes(diagnosis) == ["capacity-reservation-expired"]
    assert f"resource group {group} of compute environment {ENVIRONMENT} is not there" in first_line(diagnosis)


def test_instances_that_do_not_come_to_ecs_are_put_down_to_their_subnet():
    found = diagnosed(WAITING.but(instances=(instance(),)), ec2__DescribeRouteTables=routes())
    assert causes(found) == ["batch-subnet-without-way-out"]
    assert [consequence.cause.id for consequence in found.causes[0].consequences] == ["ecs-instance-not-registered"]


ENDPOINTS = [{"ServiceName": f"com.amazonaws.us-east-2.{one}"} for one in ("ecs", "ecs-agent", "ecs-telemetry")]
WITH_ADDRESS = {"NetworkInterfaces": [{"AssociatePublicIpAddress": True}]}


@pytest.mark.parametrize(
    ("of", "answers"),
    [
        (WAITING, {"ec2__DescribeRouteTables": routes(), "ec2__DescribeVpcEndpoints": {"VpcEndpoints": ENDPOINTS}}),
        (WAITING.but(launch_template=WITH_ADDRESS), {"ec2__DescribeRouteTables": routes(INTERNET)}),
        (
            INTO_RESERVATION.but(reservations=(reservation(),)),
            {"service-quotas__GetServiceQuota": {"Quota": {"QuotaName": "P", "Value": 0.0}}},
        ),
    ],
    ids=["endpoints", "public addresses", "reserved before a quota counts it"],
)
def test_what_only_looks_wrong_is_no_cause(of, answers):
    assert causes(diagnosed(of, **answers)) == []


def test_an_agent_that_is_not_connected_is_told():
    gone = {**container_instance(I1), "agentConnected": False}
    diagnosis = diagnosed(
        WAITING.but(instances=(instance(),), registered=(I1,)),
        ecs__DescribeContainerInstances={"containerInstances": [gone]},
    )
    assert causes(diagnosis) == ["ecs-instance-not-registered"]


def test_of_very_many_streams_the_newest_are_read_and_the_others_are_named(account):
    for number in range(230):
        put(account, f"nccl/default/{number:032x}", [(now_ms(account) - 1000 * number, "fine")], group=LOG_GROUP)
    of = with_logs(BatchCluster(), account, **WELL)
    diagnosis = diagnose_cluster(NAME, of)
    assert [unread.name for unread in diagnosis.unread] == ["30 older streams of jobs"]
    assert diagnose_cluster(NAME, of, read_all=True).unread == ()


def test_what_a_job_printed_is_diagnosed_with_the_state_of_the_cluster(account):
    xid = "kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus."
    put(account, f"nccl/default/{'0' * 32}", [(now_ms(account), xid)], group=LOG_GROUP)
    diagnosis = diagnose_cluster(NAME, with_logs(BatchCluster(), account, **WELL))
    assert causes(diagnosis) == ["gpu-fell-off-bus"]
    assert diagnosis.causes[0].evidence[0].file == f"nccl/default/{'0' * 32}"


def test_the_nodes_of_narrower_ranges_are_counted_once():
    big, small = container(needs={"VCPU": "96"}), container(needs={"VCPU": "4"})
    ranges = [{"targetNodes": "0:", "container": small}, {"targetNodes": "0:0", "container": big}]
    properties = {"numNodes": 3, "mainNode": 0, "nodeRangeProperties": ranges}
    waiting = job("RUNNABLE") | {"nodeProperties": properties}
    diagnosis = diagnosed(BatchCluster(environments=changed(maxvCpus=100), jobs=(waiting,)))
    assert "needs 104 vCPUs on 3 nodes, more than the 100" in first_line(diagnosis)


def test_a_job_that_could_not_pull_its_image_is_put_down_to_the_image_that_is_missing():
    failed = job("FAILED", statusReason="Task failed to start")
    attempt = {"container": {"reason": "CannotPullContainerError: not found"}, "statusReason": "Task failed to start"}
    node = node_of(failed, 0, attempts=[attempt | {"stoppedAt": failed["stoppedAt"]}])
    diagnosis = diagnosed(BatchCluster(jobs=(failed, node), images=frozenset()))
    assert causes(diagnosis) == ["batch-image-missing"]
    assert "batch-cannot-pull-image" in [consequence.cause.id for consequence in diagnosis.causes[0].consequences]


def test_what_nobody_may_look_at_is_named_and_the_rest_is_diagnosed():
    refused = {
        "iam__GetInstanceProfile": NOT_ALLOWED,
        "ecs__ListContainerInstances": NOT_ALLOWED,
        "ec2__DescribeLaunchTemplateVersions": NOT_ALLOWED,
        "autoscaling__DescribeAutoScalingGroups": NOT_ALLOWED,
        "service-quotas__GetServiceQuota": NOT_ALLOWED,
    }
    diagnosis = diagnosed(WAITING.but(environments=changed(maxvCpus=96)), **refused)
    assert causes(diagnosis) == ["batch-max-vcpus-too-low"]
    assert {unread.name for unread in diagnosis.unread} == {
        "its logs in CloudWatch", "its instance profiles", "instances that ECS knows", "its launch templates",
        "launches of Auto Scaling that failed", "its quotas",
    }  # fmt: skip


def test_who_may_not_look_at_the_jobs_gets_to_know_of_the_environments():
    diagnosis = diagnosed(WAITING.but(launch_template=None), batch__ListJobs=NOT_ALLOWED)
    assert causes(diagnosis) == ["launch-names-what-is-missing"]
    assert "its jobs" in [unread.name for unread in diagnosis.unread]


def test_a_stack_that_somebody_else_made_is_diagnosed_too():
    of = WAITING.but(environments=changed(maxvCpus=96), stack="theirs", stack_tags={})
    assert causes(diagnose_cluster("theirs", of.account(**WELL))) == ["batch-max-vcpus-too-low"]


def test_a_cluster_that_is_not_there_is_one_clear_error():
    with pytest.raises(InputError, match="nothing of a cluster nowhere in us-east-2 can be read"):
        diagnose_cluster("nowhere", BatchCluster(stack="other", stack_tags={}).account(**WELL))


def test_no_name_of_a_job_makes_lines_of_its_own():
    hostile = "x\nbatch check: job queue x is DISABLED and takes no new jobs"
    diagnosis = diagnosed(BatchCluster(jobs=(job("FAILED", jobName=hostile),)))
    assert diagnosis.files > 0
    assert all("\n" not in hit.text for cause in diagnosis.causes for hit in cause.evidence)
