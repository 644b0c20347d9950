"""`trainyard-node reservations`: says when the capacity reservations of the cluster end and what of them is not used.

A Capacity Block ends at a time that was bought, and its instances before it; other reservations may have an end too.
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from trainyard_node.atomic_write import FOLDER, write_textfile
from trainyard_node.errors import SETTING, NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.output import err
from trainyard_node.programs import Programs, RealPrograms
from trainyard_node.samples import Samples

METRICS = "trainyard_capacity_reservations.prom"
_SETTING = "TRAINYARD_CAPACITY_RESERVATIONS"
_TIMEOUT_S = 60.0
_MOST_BYTES = 1 << 20
# Others are over, or never came to be: nothing of them is about to end.
_TO_COME = {"active", "scheduled", "pending", "assessing", "delayed"}
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_UNKNOWN = ("InvalidCapacityReservationId.NotFound", "InvalidCapacityReservationId.Malformed")


class Reservation(NamedTuple):
    """A reservation that is to come or is there."""

    id: str
    instance_type: str
    type: str
    """capacity-block, or default."""
    end: float | None
    """Seconds since 1970; None where it has none."""
    available: int | None
    """How many instances may still be launched into it: None before it begins."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--metrics", type=Path, metavar="FOLDER", help=f"where to write (default: {FOLDER})")


def run(chosen: argparse.Namespace, world: World, programs: Programs | None = None) -> int:
    """Ask EC2 for each reservation and write when it ends. What was written before stays where that fails."""
    settings = read_node_env(world.places)
    samples = Samples("timers")
    for id_ in settings.get(_SETTING, "").split():
        for reservation in reservations(id_, settings, programs or RealPrograms()):
            labels = (reservation.id, reservation.instance_type, reservation.type)
            if reservation.end is not None:
                samples.add("trainyard_capacity_reservation_end_timestamp_seconds", reservation.end, *labels)
            if reservation.available is not None:
                samples.add("trainyard_capacity_reservation_available_instances", reservation.available, *labels)
    write_textfile((chosen.metrics or world.places.at(FOLDER)) / METRICS, samples)
    return 0


def reservations(id_: str, settings: Mapping[str, str], programs: Programs) -> Iterator[Reservation]:
    """Yield what EC2 says of a reservation; nothing where it is over or unknown. Raises NodeError."""
    region = settings.get("TRAINYARD_REGION", "")
    if not region:
        raise NodeError("node.env does not give TRAINYARD_REGION: run trainyard-node.pyz bootstrap again", SETTING)
    command = [
        "aws", "ec2", "describe-capacity-reservations", "--region", region, "--output", "json",
        "--cli-connect-timeout", "10", "--cli-read-timeout", "20", "--capacity-reservation-ids", id_,
    ]  # fmt: skip
    try:
        output = programs.read(command, _TIMEOUT_S, _MOST_BYTES, {})
    except NodeError as error:
        if not any(code in str(error) for code in _UNKNOWN):
            raise
        err(f"EC2 does not know the reservation {id_}, which the spec names")
        return
    try:
        yield from filter(None, map(_reservation, json.loads(output)["CapacityReservations"]))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NodeError(f"what EC2 says of {id_} cannot be read: {error!r:.200}") from error


def _reservation(described: Mapping[str, Any]) -> Reservation | None:
    if described["State"] not in _TO_COME:
        return None
    # The AWS command line writes +00:00, and Python 3.9 does not read Z.
    end = described.get("EndDate")
    return Reservation(
        described["CapacityReservationId"],
        described["InstanceType"],
        described.get("ReservationType", "default"),
        None if end is None else datetime.fromisoformat(end.replace("Z", "+00:00")).timestamp(),
        described.get("AvailableInstanceCount") if described["State"] == "active" else None,
    )
