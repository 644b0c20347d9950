"""What is wrong with a cluster, and how its state reads, from values alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from trainyard.cli.status_output import print_status, status_values
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.edge.aws.parallelcluster import FleetStatus
from trainyard.edge.aws.stacks import StackState
from trainyard.operate.monitoring.access import MonitoringAccess, WorkspaceState
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.operate.status.concerns import concerns
from trainyard.operate.status.file_systems import FileSystemStatus
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import Reservation
from trainyard.platforms.parallelcluster.status.cluster_status import ParallelClusterStatus
from trainyard.platforms.parallelcluster.status.queues import compute_resources

NOW = datetime(2026, 5, 6, 12, tzinfo=UTC)
ACCOUNT = Account("us-east-2")
STACK = StackState("llm", "arn:llm", "CREATE_COMPLETE", "", {}, {})
HEAD = ClusterNode(
    "i-0aaaaaaaaaaaaaaa1", "HeadNode", None, "m5.large", "running", "us-east-2a", "10.0.0.5", public_address="3.4.5.6"
)


def node(purchase: str = "on-demand", state: str = "running", **more: Any) -> ClusterNode:
    launched = (NOW - timedelta(hours=10)).isoformat()
    values = {"private_address": None, "compute_resource": "p5", "launched": launched, "purchase": purchase, **more}
    return ClusterNode("i-0bbbbbbbbbbbbbbb2", "Compute", "gpu", "p5.48xlarge", state, "us-east-2a", **values)


def block(hours: float, state: str = "active") -> Reservation:
    ends = NOW + timedelta(hours=hours)
    return Reservation("cr-1", ("gpu",), "capacity-block", state, "p5.48xlarge", "us-east-2a", 2, 1, None, ends)


WELL = Status(
    "llm",
    "us-east-2",
    NOW.timestamp(),
    None,
    (STACK,),
    (HEAD,),
    platform=ParallelClusterStatus(FleetStatus("RUNNING", None)),
)


def judged(**changes: Any) -> tuple[Concern, ...]:
    return concerns(ACCOUNT, replace(WELL, **changes))


def printed(capsys: pytest.CaptureFixture[str], **changes: Any) -> str:
    seen = replace(WELL, **changes)
    print_status(replace(seen, concerns=concerns(ACCOUNT, seen)))
    return capsys.readouterr().out


def test_a_cluster_that_is_well_has_nothing_to_look_at():
    assert judged() == ()


def test_the_instances_of_a_capacity_block_go_half_an_hour_before_its_end(capsys):
    (concern,) = judged(reservations=(block(2.5),))
    assert concern.what == "Capacity Block cr-1 of queue gpu: its instances go in 2 h 0 min, at 2026-05-06 14:00 UTC"
    assert concern.command == (
        "aws ec2 describe-capacity-block-extension-offerings --region us-east-2 --capacity-reservation-id cr-1 "
        "--capacity-block-extension-duration-hours 24"
    )
    line = "Capacity Block cr-1 of gpu: active, 1 of 2 p5.48xlarge used in us-east-2a, ends 2026-05-06 14:30 UTC"
    assert f"{line} (its instances go in 2 h 0 min)" in printed(capsys, reservations=(block(2.5),))
    assert f"{line.replace('14:30', '12:10')} (its instances are gone)" in printed(capsys, reservations=(block(1 / 6),))


def test_a_capacity_block_that_ends_in_days_is_no_concern():
    assert judged(reservations=(block(72),)) == ()


@pytest.mark.parametrize("state", ["expired", "payment-failed", "scheduled"])
def test_a_reservation_that_is_not_active_is_a_concern(state):
    (concern,) = judged(reservations=(block(72, state),))
    assert concern.what == f"cr-1 of queue gpu is {state}"


def test_a_file_system_that_does_not_work_is_a_concern():
    good, bad = (
        FileSystemStatus("EFS", "fs-1", "available", 1, "/home"),
        FileSystemStatus("FSx for Lustre", "fs-2", "FAILED", 1200, "/fsx"),
    )
    (concern,) = judged(file_systems=(good, bad))
    assert concern.what == "FSx for Lustre fs-2, mounted at /fsx, is FAILED"
    assert concern.command == "aws fsx describe-file-systems --file-system-ids fs-2 --region us-east-2"


def test_a_workspace_that_is_gone_is_a_concern_and_one_that_nobody_may_see_is_not():
    spaces = (
        WorkspaceState("Amazon Managed Prometheus", "ws-1", "MISSING"),
        WorkspaceState("x", "g-1", "not known: denied"),
    )
    (concern,) = judged(monitoring=MonitoringAccess("llm-monitoring", "amp-only", {}, spaces, None))
    assert concern.what == "Amazon Managed Prometheus workspace ws-1 is MISSING"
    assert concern.command == "trainyard monitor verify llm --region us-east-2"


def test_errors_come_before_warnings_and_the_first_of_them_is_the_problem(capsys):
    changes = {"nodes": (), "reservations": (block(72, "expired"),)}
    first, second = judged(**changes)
    assert (first.severity, second.severity) == ("error", "warning")
    assert printed(capsys, **changes).splitlines()[:4] == [
        "llm in us-east-2: no head node runs: there is none",
        "not made by trainyard",
        "  next: trainyard diagnose llm --region us-east-2",
        f"  warning: cr-1 of queue gpu is expired → {second.command}",
    ]


def test_what_is_not_paid_by_the_hour_on_demand_is_not_in_the_sum(capsys):
    nodes = (node(), node("spot"), node("capacity-block"), node("capacity-block"), node(state="pending"))
    cost = node_hours(nodes, "us-east-2", NOW.timestamp())
    assert [(line.purchase, line.instances, line.hours, line.usd is None) for line in cost.lines] == [
        ("capacity-block", 2, 20.0, True),
        ("on-demand", 1, 10.0, False),
        ("spot", 1, 10.0, True),
    ]
    text = printed(capsys, cost=cost)
    assert f"about {cost.usd:,.2f} USD so far" in text
    assert "not in it: 2 × p5.48xlarge for 20.0 hours (a Capacity Block: paid in advance, used or not)" in text
    assert "not in it: 1 × p5.48xlarge for 10.0 hours (spot: its price moves)" in text


def test_a_type_without_a_known_price_stays_unknown(capsys):
    cost = node_hours([node()._replace(instance_type="x9.huge")], "us-east-2", NOW.timestamp())
    assert (cost.usd, cost.read) == (0, None)
    assert "about" not in printed(capsys, cost=cost)
    assert "  costs: 1 × x9.huge for 10.0 hours (no price of it in us-east-2 is known)" in printed(capsys, cost=cost)


@pytest.mark.parametrize(
    "config",
    [None, {}, {"Scheduling": None}, {"Scheduling": {"SlurmQueues": "x"}}, {"Scheduling": {"SlurmQueues": [1, {}]}}],
    ids=repr,
)
def test_a_configuration_that_is_not_as_it_should_has_no_queues(config):
    assert compute_resources(config, [node()]) == ()


def test_a_queue_counts_its_instances_by_their_states():
    resource = {"Name": "p5", "InstanceType": "p5.48xlarge", "MinCount": 1, "MaxCount": 4}
    queue = {"Name": "gpu", "CapacityType": "CAPACITY_BLOCK", "ComputeResources": [resource]}
    nodes = [node(), node(), node(state="pending"), node(compute_resource="other"), HEAD]
    (found,) = compute_resources({"Scheduling": {"SlurmQueues": [queue]}}, nodes)
    assert (found.capacity, found.least, found.most, found.running) == ("capacity-block", 1, 4, 2)
    assert found.states == {"running": 2, "pending": 1}


def test_no_name_of_somebody_else_commands_the_terminal(capsys):
    hostile = "\x1b[2J\nx"
    resource = {"Name": hostile, "InstanceType": hostile}
    queues = compute_resources({"Scheduling": {"SlurmQueues": [{"Name": hostile, "ComputeResources": [resource]}]}}, [])
    text = printed(
        capsys,
        platform=ParallelClusterStatus(FleetStatus(hostile, hostile), queues),
        file_systems=(FileSystemStatus("EFS", hostile, hostile, 1, hostile),),
        unknown={"failures": hostile},
    )
    assert "\x1b" not in text
    assert "\nx" not in text


def test_all_of_it_is_json(capsys):
    seen = replace(WELL, reservations=(block(2.5),), cost=node_hours([node()], "us-east-2", NOW.timestamp()))
    values = status_values(replace(seen, concerns=judged(reservations=(block(2.5),))))
    assert values["reservations"][0]["gone_by"] == "2026-05-06T14:00:00+00:00"
    assert values["nodes"][0]["public_address"] == "3.4.5.6"
    assert values["cost"]["usd"] == pytest.approx(10 * values["cost"]["usd_an_hour"])
    assert values["concerns"][0]["severity"] == "warning"
