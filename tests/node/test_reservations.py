"""When the capacity reservations of a cluster end, as metrics."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.reservations_command import run

BLOCK, OPEN, OTHER = "cr-0a1b2c3d4e5f60718", "cr-0a1b2c3d4e5f60719", "cr-0a1b2c3d4e5f60720"
END = "2026-11-28T11:30:00+00:00"
# What the command line says of what does not exist; `aws ec2 describe-capacity-reservations` of 2.31.
NOT_FOUND = (
    "An error occurred (InvalidCapacityReservationId.NotFound) when calling the DescribeCapacityReservations "
    f"operation: The capacity reservation ID(s) '{OTHER}' do not exist"
)


class Ec2:
    """Stands for the AWS command line: answers by the id that is asked for."""

    def __init__(self, **reservations: Any) -> None:
        """Know reservations by their ids."""
        self.reservations = {key.replace("_", "-"): value for key, value in reservations.items()}
        self.asked: list[str] = []

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        assert command[:3] == ["aws", "ec2", "describe-capacity-reservations"]
        assert timeout_s <= 60
        assert (most_bytes, variables) == (1 << 20, {})
        assert command[command.index("--region") + 1] == "us-east-2"
        self.asked.append(command[-1])
        found = self.reservations.get(command[-1], NodeError(f"aws ended with status 254: {NOT_FOUND}"))
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, bytes) else json.dumps({"CapacityReservations": [found]}).encode()


def reservation(id_: str, **changes: Any) -> dict[str, Any]:
    said = {
        "CapacityReservationId": id_, "InstanceType": "p5.48xlarge", "State": "active", "EndDateType": "limited",
        "EndDate": END, "ReservationType": "capacity-block", "TotalInstanceCount": 4,
        "AvailableInstanceCount": 1,
    }  # fmt: skip
    return {key: value for key, value in {**said, **changes}.items() if value is not None}


def world(tmp_path: Path, ids: str, region: str = "us-east-2") -> World:
    places = Places(str(tmp_path))
    places.node_env.parent.mkdir(parents=True)
    places.node_env.write_text(f"TRAINYARD_REGION='{region}'\nTRAINYARD_CAPACITY_RESERVATIONS='{ids}'\n")
    clock = FakeClock()
    return World(places, clock, FakeProcesses(clock))


def told(one: World) -> list[str]:
    file = one.places.at("/var/lib/node_exporter/textfile/trainyard_capacity_reservations.prom")
    return [line for line in file.read_text().splitlines() if not line.startswith("#")]


def sample(id_: str, type_: str = "capacity-block") -> str:
    labels = f'reservation="{id_}",reserved_instance_type="p5.48xlarge",reservation_type="{type_}"'
    return f"trainyard_capacity_reservation_end_timestamp_seconds{{{labels}}} 1795865400"


def free(id_: str, count: int = 1, type_: str = "capacity-block") -> str:
    return sample(id_, type_).replace("end_timestamp_seconds", "available_instances").replace("1795865400", f"{count}")


def asked(one: World, ec2: Ec2) -> int:
    return run(Namespace(metrics=None), one, ec2)


def test_a_capacity_block_has_its_end_and_an_open_reservation_none(tmp_path: Path):
    node = world(tmp_path, f"{BLOCK} {OPEN}")
    open_one = reservation(
        OPEN, EndDate=None, EndDateType="unlimited", ReservationType="default", AvailableInstanceCount=0
    )
    ec2 = Ec2(**{BLOCK: reservation(BLOCK), OPEN: open_one})
    assert asked(node, ec2) == 0
    assert ec2.asked == [BLOCK, OPEN]
    assert told(node) == [sample(BLOCK), free(BLOCK), free(OPEN, 0, "default")]


def test_a_reservation_that_was_made_before_types_were_is_an_ordinary_one(tmp_path: Path):
    node = world(tmp_path, OPEN)
    asked(node, Ec2(**{OPEN: reservation(OPEN, ReservationType=None)}))
    assert told(node) == [sample(OPEN, "default"), free(OPEN, 1, "default")]


@pytest.mark.parametrize("state", ["expired", "cancelled", "failed", "payment-failed", "unsupported"])
def test_what_is_over_is_not_about_to_end(tmp_path: Path, state: str):
    node = world(tmp_path, BLOCK)
    asked(node, Ec2(**{BLOCK: reservation(BLOCK, State=state)}))
    assert told(node) == []


def test_one_that_is_still_to_begin_has_its_end(tmp_path: Path):
    node = world(tmp_path, BLOCK)
    asked(node, Ec2(**{BLOCK: reservation(BLOCK, State="scheduled")}))
    assert told(node) == [sample(BLOCK)]


def test_one_that_nobody_knows_keeps_the_others_from_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    node = world(tmp_path, f"{OTHER} {BLOCK}")
    assert asked(node, Ec2(**{BLOCK: reservation(BLOCK)})) == 0
    assert told(node) == [sample(BLOCK), free(BLOCK)]
    assert capsys.readouterr().err == f"trainyard: EC2 does not know the reservation {OTHER}, which the spec names\n"


@pytest.mark.parametrize(
    "answer",
    [
        NodeError("aws ended with status 255: Connect timeout on endpoint URL"),
        NodeError("aws ended with status 254: An error occurred (UnauthorizedOperation)"),
        b"<html>",
        b"[]",
        b'{"CapacityReservations": [{"EndDate": "soon", "State": "active"}]}',
        b'{"CapacityReservations": [{"EndDate": "2026-11-28T11:30:00+00:00"}]}',
    ],
)
def test_what_was_told_before_stays_where_ec2_cannot_be_asked(tmp_path: Path, answer: Any):
    node = world(tmp_path, BLOCK)
    asked(node, Ec2(**{BLOCK: reservation(BLOCK)}))
    with pytest.raises(NodeError):
        asked(node, Ec2(**{BLOCK: answer}))
    assert told(node) == [sample(BLOCK), free(BLOCK)]


def test_a_spec_without_reservations_has_no_samples_and_asks_nobody(tmp_path: Path):
    node, ec2 = world(tmp_path, ""), Ec2()
    assert asked(node, ec2) == 0
    assert (told(node), ec2.asked) == ([], [])


def test_a_node_that_does_not_know_its_region_says_so(tmp_path: Path):
    with pytest.raises(NodeError, match=r"node\.env does not give TRAINYARD_REGION"):
        asked(world(tmp_path, BLOCK, region=""), Ec2())
