"""What is said of clusters in an emulated account: one that is well, and those that are not."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from tests.operate.status.planted import config, launch, plant_config, plant_event, plant_fleet, plant_stack
from tests.rehearsal.cloud import some_name
from trainyard.cli.status_output import print_status, status_values
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.operate.status.status_query import status

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


HEAD = "HeadNode"


def whole(account: Account, name: str, fleet: str = "RUNNING") -> Any:
    """Plant a cluster that is well, and return its head node."""
    plant_stack(account, name, config())
    plant_fleet(account, name, fleet)
    launch(account, name, "Compute", "p5.48xlarge", count=2, queue_name="gpu", compute_resource_name="p5")
    return launch(account, name, HEAD)


@pytest.fixture(scope="module")
def planted(account: Account) -> tuple[str, Any]:
    """A cluster that is well, with its head node: its fleet and its configuration are what a test makes of them."""
    name = some_name()
    return name, whole(account, name)


@pytest.fixture
def well(account: Account, planted: tuple[str, Any]) -> str:
    """The name of it, as it was planted."""
    plant_config(account, planted[0], config())
    plant_fleet(account, planted[0], "RUNNING")
    return planted[0]


def shown(capsys: pytest.CaptureFixture[str], name: str, account: Account) -> str:
    print_status(status(name, account))
    return capsys.readouterr().out


def test_a_cluster_that_trainyard_did_not_make_and_that_is_well_is_up(account, planted, well, capsys):
    name, head = planted
    assert name == well
    found = status(name, account)
    assert (found.up, found.concerns, found.unknown, found.failures) == (True, (), {}, ())
    text = shown(capsys, name, account)
    assert text.startswith(f"{name} in us-east-2: up\nnot made by trainyard\n")
    assert f"head node {head['InstanceId']} m5.large running {head['PrivateIpAddress']}" in text
    assert "fleet RUNNING since 2026-05-06T13:25:00Z" in text
    assert "queue gpu/p5 p5.48xlarge: 2 running of 2 to 2 (on-demand)" in text
    assert "queue cpu/any m5.large: no nodes of 0 to 8 (spot)" in text


def test_slurm_says_what_runs_and_what_an_hour_of_idle_nodes_costs(account, capsys):
    name = some_name()
    whole(account, name)
    known = status(name, account).nodes
    busy, idle = (node.private_address for node in known if node.role == "Compute")
    told = (
        f"== nodes\ngpu|gpu-st-p5-1|allocated|{busy}|none\ngpu|gpu-st-p5-2|drained|{idle}|\x1b[2J fell off the bus\n"
        "== counts\n1 RUNNING|ada|gpu|1\n== jobs\n7|RUNNING|ada|gpu|1|N/A|gpu-st-p5-1\n== names\n7|`sudo x`\n"
    )
    where = at_another_time(fresh(account), hours=10)
    with slurm_that_says(where, told):
        found = status(name, where)
    print_status(found)
    text = capsys.readouterr().out
    assert "    in Slurm: 1 allocated, 1 drained" in text
    assert "  nodes of users: ada 1" in text
    assert """  running: job 7 "'sudo x'" of ada on 1 node of gpu: gpu-st-p5-1""" in text
    assert '  node gpu-st-p5-2 drained: "\\x1b[2J fell off the bus"' in text
    assert found.idle is not None
    assert found.cost is not None
    (line,) = (line for line in found.cost.lines if line.instance_type == "p5.48xlarge")
    assert line.usd is not None
    assert found.idle.usd_an_hour == pytest.approx(line.usd / line.hours)
    price = f"{found.idle.usd_an_hour:,.2f} USD an hour by list prices read on {found.idle.read}"
    assert f"  without a job: 1 × p5.48xlarge, {price}" in text
    values = status_values(found)
    assert values["slurm"]["running_jobs"][0]["name"] == "`sudo x`"
    assert values["idle"]["lines"][0]["instances"] == 1


def test_a_head_node_that_does_not_answer_leaves_slurm_and_idle_nodes_unknown(account, well):
    where = fresh(account)
    refuse(where, "ssm", "SendCommand")
    found = status(well, where)
    assert found.up
    assert "SendCommand" in found.unknown["Slurm"]
    assert (found.idle, status_values(found)["slurm"]) == (None, None)


@contextmanager
def slurm_that_says(account: Account, text: str) -> Iterator[None]:
    """Have Systems Manager answer one command with this, as edge/remote/slurm_state.sh prints it."""
    output = gzip.compress(text.encode())
    printed = f"trainyard-answer 0 {len(output)} {base64.b64encode(output).decode()} -\n"
    ended = {"Status": "Success", "StatusDetails": "Success", "StandardOutputContent": printed}
    with Stubber(account.client("ssm")) as stubber:
        stubber.add_response("send_command", {"Command": {"CommandId": "c" * 36}})
        stubber.add_response("get_command_invocation", ended)
        yield


def test_the_hours_of_its_instances_cost_what_the_dated_prices_say(account, well, capsys):
    name = well
    later = at_another_time(account, hours=10)
    cost = status(name, later).cost
    assert cost is not None
    lines = {line.instance_type: line for line in cost.lines}
    assert (lines["p5.48xlarge"].instances, round(lines["p5.48xlarge"].hours, 1)) == (2, 20.0)
    assert cost.usd == pytest.approx(10 * cost.usd_an_hour, rel=0.01)
    assert f"by list prices read on {cost.read}; an estimate, no bill" in shown(capsys, name, later)


def at_another_time(account: Account, *, hours: float) -> Account:
    """Return the account as it will be seen in some hours."""

    class Later(type(account.clock)):  # type: ignore[misc]  # whichever class it is
        def now(self) -> float:
            return float(super().now() + hours * 3600)

    return replace(account, clock=Later())


def test_a_stack_that_failed_is_named_with_its_reason_and_the_next_command(account, capsys):
    name = some_name()
    plant_stack(
        account, name, config(),
        Vpc={"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.7.0.0/16"}},
        Head={"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.9.0.0/24"}},
    )  # fmt: skip
    found = status(name, account)
    assert found.problem is not None
    assert found.problem.startswith(f"stack {name} is CREATE_FAILED: Head (AWS::EC2::Subnet): ")
    assert [failure.place for failure in found.failures][:1] == [f"stack {name}"]
    assert f"next: trainyard diagnose {name} --region us-east-2" in shown(capsys, name, account)


def test_a_head_node_that_is_stopped_is_the_problem_and_starting_it_the_next_step(account):
    name = some_name()
    plant_stack(account, name, None)
    head = launch(account, name, HEAD)
    account.client("ec2").stop_instances(InstanceIds=[head["InstanceId"]])
    (concern,) = (concern for concern in status(name, account).concerns if concern.severity == "error")
    assert concern.what == f"no head node runs: {head['InstanceId']} is stopped"
    assert concern.command == f"aws ec2 start-instances --region us-east-2 --instance-ids {head['InstanceId']}"


def test_a_fleet_in_protected_mode_is_the_problem_and_the_head_node_says_why(account, capsys):
    name = some_name()
    head = whole(account, name, "PROTECTED")
    detail = {
        "failure-type": "ice-failures",
        "count": 2,
        "error-details": {"InsufficientInstanceCapacity": {"count": 2}},
    }
    said = {"event-type": "node-launch-failure-count", "message": "Number of nodes that failed to launch"}
    for _ in range(3):
        plant_event(account, name, head, "slurm_resume_events", "WARNING", **said, detail=detail)
    plant_event(account, name, head, "clustermgtd_events", "INFO", message="fine", detail={})
    found = status(name, account)
    assert not found.up
    (failure,) = found.failures
    assert failure.what == "Number of nodes that failed to launch: 2 (ice-failures, InsufficientInstanceCapacity)"
    assert (failure.place, failure.times) == ("slurm_resume_events", 3)
    text = shown(capsys, name, account)
    assert text.startswith(f"{name} in us-east-2: the fleet is PROTECTED")
    assert f"next: trainyard diagnose {name}" in text


@pytest.mark.parametrize("state", ["STOPPED", "STOP_REQUESTED"])
def test_a_fleet_that_somebody_stopped_is_told_with_how_to_start_it(account, well, state):
    name = well
    plant_fleet(account, name, state)
    found = status(name, account)
    assert found.up
    assert [concern.command for concern in found.concerns] == [
        f"pcluster update-compute-fleet --cluster-name {name} --region us-east-2 --status START_REQUESTED"
    ]


def test_nodes_that_should_run_and_do_not_are_counted(account, well):
    name = well
    plant_config(account, name, config() | {"Scheduling": {"SlurmQueues": [queue_of(4)]}})
    (concern,) = status(name, account).concerns
    assert concern == (
        "warning",
        "gpu/p5 has 2 running nodes of the 4 that always run",
        f"trainyard diagnose {name} --region us-east-2",
    )


def queue_of(least: int) -> dict[str, Any]:
    resource = {"Name": "p5", "InstanceType": "p5.48xlarge", "MinCount": least, "MaxCount": least}
    return {"Name": "gpu", "ComputeResources": [resource]}


def reserved(account: Account, hours: float) -> str:
    ends = datetime.now(UTC) + timedelta(hours=hours)
    made = account.client("ec2").create_capacity_reservation(
        InstanceType="p5.48xlarge", InstancePlatform="Linux/UNIX", AvailabilityZone="us-east-2a", InstanceCount=2,
        EndDateType="limited", EndDate=ends,
    )  # fmt: skip
    return str(made["CapacityReservation"]["CapacityReservationId"])


def test_a_reservation_is_told_with_its_use_and_its_end(account, well, capsys):
    name, id_ = well, reserved(account, 5)
    plant_config(account, name, config(id_))
    found = status(name, account)
    (reservation,) = found.reservations
    assert (reservation.state, reservation.total, reservation.queues) == ("active", 2, ("gpu",))
    (concern,) = found.concerns
    assert f"reservation {id_} of queue gpu: its instances go in 4 h 59 min, at " in concern.what
    assert f"reservation {id_} of gpu: active, 0 of 2 p5.48xlarge used in us-east-2a, ends " in shown(
        capsys, name, account
    )


def test_a_reservation_that_is_not_there_is_told(account, well):
    name = well
    plant_config(account, name, config("cr-0123456789abcdef0"))
    (concern,) = status(name, account).concerns
    assert concern.what == "cr-0123456789abcdef0 of queue gpu does not exist in this account and region"


def test_file_systems_are_told_with_their_state_and_mount(account, well, capsys):
    efs = account.client("efs").create_file_system(CreationToken=some_name())["FileSystemId"]
    volume = account.client("ec2").create_volume(AvailabilityZone="us-east-2a", Size=100)["VolumeId"]
    name = well
    mounted = [
        {"MountDir": "/home", "Name": "home", "StorageType": "Efs", "EfsSettings": {"FileSystemId": efs}},
        {"MountDir": "/data", "Name": "data", "StorageType": "Ebs", "EbsSettings": {"VolumeId": volume}},
        {
            "MountDir": "/fsx",
            "Name": "fsx",
            "StorageType": "FsxLustre",
            "FsxLustreSettings": {"FileSystemId": "fs-0123456789abcdef0"},
        },
    ]
    plant_config(account, name, config(SharedStorage=mounted))
    found = status(name, account)
    (concern,) = found.concerns
    assert concern.what == "FSx fs-0123456789abcdef0, mounted at /fsx, is MISSING"
    text = shown(capsys, name, account)
    assert f"EFS {efs} available 0.0 GiB at /home" in text
    assert f"EBS {volume} available 100 GiB at /data" in text


def test_a_cluster_without_a_stack_is_not_there(account):
    name = some_name()
    launch(account, name, "Compute", queue_name="gpu", compute_resource_name="p5")
    assert status(name, account).problem == "the cluster itself is not there"


def test_what_does_not_exist_is_an_error(account):
    with pytest.raises(TrainyardError, match="there is no cluster nobody-s in us-east-2, and no environment"):
        status("nobody-s", account)


def fresh(account: Account) -> Account:
    """Return the same account with clients of its own."""
    return replace(account)


def refuse(account: Account, service: str, operation: str, code: str = "AccessDeniedException") -> None:
    """Let a call be refused, as AWS does where the caller has no right to it."""

    def handler(**_: object) -> None:
        raise ClientError(
            {"Error": {"Code": code, "Message": f"no identity-based policy allows {operation}"}}, operation
        )

    account.client(service).meta.events.register(f"before-call.{service}.{operation}", handler)


REFUSED = {
    "stacks": ("cloudformation", "DescribeStacks", "AccessDenied"),
    "nodes": ("ec2", "DescribeInstances", "UnauthorizedOperation"),
    "fleet": ("dynamodb", "GetItem", "AccessDeniedException"),
    "queues": ("s3", "GetObject", "AccessDenied"),
    "reservations": ("ec2", "DescribeCapacityReservations", "UnauthorizedOperation"),
    "file systems of FSx": ("fsx", "DescribeFileSystems", "AccessDeniedException"),
    "file systems of EFS": ("efs", "DescribeFileSystems", "AccessDeniedException"),
    "failures of the fleet": ("logs", "DescribeLogGroups", "AccessDeniedException"),
}


@pytest.mark.parametrize("part", REFUSED)
def test_a_part_that_may_not_be_looked_at_says_so_and_the_others_are_told(account, well, capsys, part):
    name = well
    plant_config(account, name, config(reserved(account, 100)))
    service, operation, code = REFUSED[part]
    other = fresh(account)
    refuse(other, service, operation, code)
    found = status(name, other)
    assert part in found.unknown
    assert "not allowed" in found.unknown[part]
    assert found.nodes or part == "nodes"
    assert found.stacks or part == "stacks"
    assert found.up == (part not in ("stacks", "nodes"))
    assert f"not known: {part}: {found.unknown[part]}" in shown(capsys, name, other)


def test_nobody_can_tell_of_a_cluster_where_nothing_may_be_looked_at(account):
    other = fresh(account)
    for service, operation, code in (REFUSED["stacks"], REFUSED["nodes"]):
        refuse(other, service, operation, code)
    with pytest.raises(TrainyardError, match="nobody can tell whether there is a cluster llm: could not list"):
        status("llm", other)


def test_a_call_that_is_throttled_is_made_again(account, well):
    name = well
    calls: list[int] = []
    other = fresh(account)
    other.client("dynamodb").meta.events.register("before-send.dynamodb.GetItem", throttle(calls, 2))
    assert status(name, other).unknown == {}
    assert len(calls) == 3


def throttle(calls: list[int], times: int) -> Callable[..., Any]:
    """Return a handler that answers the first calls as a service does that is asked too often."""

    class Body:
        def stream(self) -> list[bytes]:
            return [b'{"__type": "ThrottlingException", "message": "Rate exceeded"}']

    def handler(request: Any, **_: object) -> AWSResponse | None:
        calls.append(1)
        return AWSResponse(request.url, 400, {}, Body()) if len(calls) <= times else None

    return handler


def test_a_cluster_is_seen_with_few_calls(account, well):
    name = well
    calls: list[str] = []
    other = fresh(account)
    for service in ("cloudformation", "ec2", "dynamodb", "s3", "fsx", "efs", "logs", "sts"):
        other.client(service).meta.events.register("before-send", lambda request, **_: calls.append(request.url))
    assert status(name, other).unknown == {}
    assert len(calls) <= 14
