"""A Capacity Block from before its start to after its end, by a clock that the test moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.request import Request, urlopen

import pytest
from botocore.exceptions import ClientError

from tests.examples import example_spec
from tests.operate.status.planted import IMAGE
from tests.rehearsal.account_copies import account_for, empty_account
from tests.rehearsal.whole import deployed
from trainyard.deploy.deployment import DeploymentResult, work_for
from trainyard.deploy.steps.capacity_start import CapacityStart
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.aws.ec2 import capacity_reservations
from trainyard.edge.aws.parallelcluster import cluster_config, fleet_status
from trainyard.errors import TrainyardError
from trainyard.operate.calendar.calendar_entry import of_reservations
from trainyard.operate.status.reservations import reservations
from trainyard.platforms.parallelcluster.deployment.closed_queues import queue_states
from trainyard.platforms.parallelcluster.head_node import head_node
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
HOUR_S = 3600.0
BLOCK = "cr-0a1b2c3d4e5f60718"


class MovedClock(Clock):
    """A clock of test and account alike, which waiting moves forward."""

    def __init__(self, endpoint: str) -> None:
        """Begin now."""
        self.endpoint, self.ahead_s = endpoint, 0.0

    def now(self) -> float:
        return datetime.now(UTC).timestamp() + self.ahead_s

    def sleep(self, seconds: float) -> None:
        self.ahead_s += seconds
        told = json.dumps({"ahead_s": self.ahead_s}).encode()
        with urlopen(Request(f"{self.endpoint}/trainyard/clock", told, method="PUT")) as answer:
            assert answer.status == 200


@pytest.fixture
def account() -> Iterator[Account]:
    """An account with a block of a day that begins in an hour."""
    with empty_account() as made:
        account = replace(made, clock=MovedClock(str(made.endpoint)))
        begin = datetime.now(UTC) + timedelta(hours=1)
        block = {
            "CapacityReservationId": BLOCK, "InstanceType": "p5.48xlarge", "TotalInstanceCount": 2,
            "ReservationType": "capacity-block", "AvailabilityZone": "us-east-2a", "EndDateType": "limited",
            "StartDate": begin.isoformat(), "EndDate": (begin + timedelta(days=1)).isoformat(),
        }  # fmt: skip
        seeds = {"region": "us-east-2", "account_id": account.id, "reservations": [block]}
        plant(account, seeds)
        yield account


def plant(account: Account, seeds: dict[str, Any]) -> None:
    with urlopen(Request(f"{account.endpoint}/trainyard/seeds", json.dumps(seeds).encode(), method="PUT")):
        pass


def work(account: Account, told: list[Event], wait_h: float) -> Work:
    queue = f"{{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {{capacity_block: {BLOCK}}}}}"
    spec = parse(example_spec(f"queues: [{queue}]"), "cluster.yaml").spec
    made = work_for(spec, account)
    made.options, made.listener = Options(wait_for_capacity_s=wait_h * HOUR_S), told.append
    return made


def state(account: Account) -> str:
    return str(capacity_reservations(account)[BLOCK]["State"])


def test_a_clock_runs_a_block_from_before_its_start_to_after_its_end(account: Account):
    told: list[Event] = []
    assert state(account) == "scheduled"
    (listed,) = reservations(account, [("gpu", BLOCK)])
    start, gone, end = (entry.at for entry in of_reservations("llm", [listed]))
    outcome = CapacityStart().apply(work(account, told, 2))
    assert "has begun; waited since " in outcome.detail
    assert abs(account.clock.now() - start.timestamp()) <= 120
    waits = [event.text for event in told if "waits since" in event.text]
    assert len(waits) in (6, 7)  # every ten minutes of an hour
    assert all(f"{BLOCK} is scheduled and begins at {start:%Y-%m-%d %H:%M} UTC" in text for text in waits)
    assert state(account) == "active"
    ec2 = account.client("ec2")
    target = {"CapacityReservationTarget": {"CapacityReservationId": BLOCK}}
    launched = ec2.run_instances(
        ImageId=IMAGE, InstanceType="p5.48xlarge", MinCount=2, MaxCount=2, CapacityReservationSpecification=target,
        InstanceMarketOptions={"MarketType": "capacity-block"},
        SubnetId=ec2.describe_subnets(Filters=[{"Name": "availability-zone", "Values": ["us-east-2a"]}])["Subnets"][0][
            "SubnetId"
        ],
    )  # fmt: skip
    ids = [instance["InstanceId"] for instance in launched["Instances"]]

    def running() -> int:
        listed = ec2.describe_instances(InstanceIds=ids)["Reservations"]
        return sum(one["State"]["Name"] == "running" for part in listed for one in part["Instances"])

    account.clock.sleep(gone.timestamp() - account.clock.now() - 60)
    assert running() == 2
    offer = ec2.describe_capacity_block_extension_offerings(
        CapacityReservationId=BLOCK, CapacityBlockExtensionDurationHours=24
    )["CapacityBlockExtensionOfferings"][0]
    ec2.purchase_capacity_block_extension(
        CapacityReservationId=BLOCK, CapacityBlockExtensionOfferingId=offer["CapacityBlockExtensionOfferingId"]
    )
    (listed,) = reservations(account, [("gpu", BLOCK)])
    assert listed.ends == end + timedelta(days=1)
    account.clock.sleep(HOUR_S)
    assert running() == 2  # an hour after it would have ended
    account.clock.sleep(24 * HOUR_S - 1800)
    assert (running(), state(account)) == (0, "active")
    account.clock.sleep(1900)
    assert state(account) == "expired"
    with pytest.raises(ClientError, match="can't be extended"):
        ec2.purchase_capacity_block_extension(
            CapacityReservationId=BLOCK, CapacityBlockExtensionOfferingId=offer["CapacityBlockExtensionOfferingId"]
        )
    (listed,) = reservations(account, [("gpu", BLOCK)])
    assert list(of_reservations("llm", [listed])) == []


def test_the_wait_ends_after_what_the_options_say_and_another_call_goes_on(account: Account):
    with pytest.raises(TrainyardError, match=rf"{BLOCK} is scheduled and begins at .*waits since") as refused:
        CapacityStart().apply(work(account, [], 0.5))
    assert "run the same command again" in str(refused.value.hint)
    assert CapacityStart().apply(work(account, [], 1)).detail.startswith("has begun")


def test_without_the_option_nobody_waits(account: Account):
    assert CapacityStart().apply(work(account, [], 0)).detail == "nothing to wait for"
    assert account.clock.now() == pytest.approx(datetime.now(UTC).timestamp(), abs=600)


FOLLOWING = "cr-0a1b2c3d4e5f60719"
NETWORK = "network: {availability_zone: us-east-2a}\n"


def group(name: str, block: str) -> str:
    return f"{{name: {name}, instance_type: p5.48xlarge, nodes: 2, capacity: {{capacity_block: {block}}}}}"


TWO_BLOCKS = example_spec(
    f"name: blocks\n{NETWORK}"
    f"queues: [{{name: gpu, compute_resources: [{group('first', BLOCK)}, {group('second', FOLLOWING)}]}}]"
)


# EC2 ends the instances of a block half an hour before its end, so that only jobs elsewhere are waited for by then.
ONE_BLOCK = example_spec(
    f"name: blocks\n{NETWORK}queues: [{group('gpu', BLOCK)}, {{name: cpu, instance_type: m5.large, nodes: 1}}]"
)


@contextmanager
def cluster_with_blocks(text: str, *others: str) -> Iterator[Account]:
    """Give the cluster of a spec whose blocks end in four hours and in four days, and a clock that waiting moves."""
    with account_for(text, *others) as account:
        now = datetime.now(UTC)
        ends = {BLOCK: now + timedelta(hours=4), FOLLOWING: now + timedelta(days=4)}
        blocks = [
            {
                "CapacityReservationId": id_, "InstanceType": "p5.48xlarge", "TotalInstanceCount": 2,
                "ReservationType": "capacity-block", "AvailabilityZone": "us-east-2a", "EndDateType": "limited",
                "StartDate": (now - timedelta(hours=20)).isoformat(), "EndDate": end.isoformat(),
            }
            for id_, end in ends.items()
        ]  # fmt: skip
        plant(account, {"region": "us-east-2", "account_id": account.id, "reservations": blocks})
        assert deployed(account, text).ok
        yield replace(account, clock=MovedClock(str(account.endpoint)))


@pytest.mark.exhaustive
def test_a_block_that_is_over_is_taken_out_of_the_cluster_and_the_next_one_stays():
    with cluster_with_blocks(TWO_BLOCKS) as account:
        assert compute_resources(account) == ["first", "second"]
        account.clock.sleep(5 * HOUR_S)
        done = deployed(account, TWO_BLOCKS)
        assert done.ok, done
        assert compute_resources(account) == ["second"]


# For which the fleet is stopped.
IDLE_LONGER = "parallelcluster: {slurm: {scaledown_idle_minutes: 33}}\n"


def update_while_the_block_ends(
    account: Account, text: str, partition: str = "gpu"
) -> tuple[DeploymentResult, list[str]]:
    """Update a cluster while a job runs that ends some minutes after the block; return what was told, too.

    Nobody sleeps longer than a lock is held.
    """
    account.clock.sleep(4 * HOUR_S - 300)
    assert state(account) == "active"
    assert head_node("blocks", account).run(("sbatch", f"--partition={partition}", "--wrap=train")).status == 0
    told: list[str] = []

    def listen(event: Event) -> None:
        told.append(event.text)
        if event.text.startswith("waits for job 1"):
            account.clock.sleep(600)
            head_node("blocks", account).run(("scancel", "1"))

    done = deployed(account, text + IDLE_LONGER, Options(wait_for_jobs_s=24 * HOUR_S), listen)
    assert any(text.startswith("waits for job 1") for text in told), done
    return done, told


@pytest.mark.exhaustive
def test_a_block_that_ends_while_an_update_waits_for_jobs_is_left_out_of_that_update():
    with cluster_with_blocks(TWO_BLOCKS) as account:
        done, told = update_while_the_block_ends(account, TWO_BLOCKS)
        assert [result.error for result in done.results if result.error] == []
        assert f"{BLOCK}: ended meanwhile; its nodes are left out of the cluster" in told
        (cluster,) = (result for result in done.results if result.name == "cluster")
        assert cluster.detail.startswith("2 changes")  # of which one was planned
        assert (compute_resources(account), idle_minutes(account)) == (["second"], 33)
        assert fleet(account) == "RUNNING"
        assert queue_states(head_node("blocks", account)) == {"gpu": "up"}
        again = deployed(account, TWO_BLOCKS + IDLE_LONGER)
        assert again.ok, again
        assert compute_resources(account) == ["second"]


@pytest.mark.exhaustive
def test_nothing_is_left_of_an_update_whose_new_nodes_are_of_a_block_that_ends_before_it():
    only_second = example_spec(
        f"name: blocks\n{NETWORK}queues: [{{name: gpu, compute_resources: [{group('second', FOLLOWING)}]}}]"
    )
    with cluster_with_blocks(only_second, TWO_BLOCKS) as account:
        account.clock.sleep(4 * HOUR_S - 300)

        def listen(event: Event) -> None:
            if (event.step, event.kind) == ("review", "done"):
                account.clock.sleep(600)

        done = deployed(account, TWO_BLOCKS, listener=listen)
        assert [result.error for result in done.results if result.error] == []
        (cluster,) = (result for result in done.results if result.name == "cluster")
        assert (cluster.status, cluster.detail) == ("unchanged", "nothing is left to change")
        assert (compute_resources(account), fleet(account)) == (["second"], "RUNNING")


@pytest.mark.exhaustive
def test_an_update_stops_where_the_block_that_ends_meanwhile_has_the_only_nodes_of_a_queue():
    with cluster_with_blocks(ONE_BLOCK) as account:
        before = cluster_config(account, "blocks")
        done, _ = update_while_the_block_ends(account, ONE_BLOCK, "cpu")
        assert not done.ok
        error = next(result.error for result in done.results if result.error)
        assert f"Capacity Block {BLOCK} has ended meanwhile, and queue gpu has no other nodes" in error.problem
        assert str(error.hint).startswith("the cluster stays as it is now; give the queue other capacity")
        assert cluster_config(account, "blocks") == before
        assert fleet(account) == "RUNNING"
        assert queue_states(head_node("blocks", account)) == {"gpu": "up", "cpu": "up"}
        again = deployed(account, ONE_BLOCK.replace(BLOCK, FOLLOWING) + IDLE_LONGER)
        assert again.ok, again
        assert idle_minutes(account) == 33
        assert fleet(account) == "RUNNING"


def fleet(account: Account) -> str:
    status = fleet_status(account, "blocks")
    assert status is not None
    return status.status


def idle_minutes(account: Account) -> int:
    config = cluster_config(account, "blocks")
    assert config is not None
    minutes: int = config["Scheduling"]["SlurmSettings"]["ScaledownIdletime"]
    return minutes


def compute_resources(account: Account) -> list[str]:
    config = cluster_config(account, "blocks")
    assert config is not None
    (queue,) = config["Scheduling"]["SlurmQueues"]
    return [resource["Name"] for resource in queue["ComputeResources"]]
