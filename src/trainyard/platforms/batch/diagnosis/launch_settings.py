"""What an environment launches with: its launch template, its images, and the reservation that these go into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.edge.aws import ec2
from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.edge.aws.ec2 import Described, images, launch_template_data, reservation_of
from trainyard.edge.aws.reservation_groups import reservations_in
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts

_TEMPLATES = "its launch templates"
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
_PART = "its reservations"
_COMING = ("pending", "scheduled", "payment-pending", "assessing", "delayed")


def launch_setting_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each thing that is named and is not there, or does not fit."""
    for environment in facts.environments:
        data = _template(facts, environment)
        if data is None and environment.launch_template is not None and not facts.refuses(_TEMPLATES):
            named, version = environment.launch_template
            where = f"compute environment {environment.name}"
            yield f"launch template {named} with version {version} of {where} does not exist"
        yield from _images(facts, environment, data or {})
        if (reserved := reservation_of(data or {})) is not None:
            yield from _reservation_lines(facts, environment, reserved)


def launch_data(facts: BatchFacts, environment: ComputeEnvironment) -> Mapping[str, Any]:
    """Return what the launch template of an environment says; nothing where there is none."""
    return _template(facts, environment) or {}


def _template(facts: BatchFacts, environment: ComputeEnvironment) -> Mapping[str, Any] | None:
    if environment.launch_template is None:
        return None
    return facts.ask(_TEMPLATES, launch_template_data, *environment.launch_template)


def _images(facts: BatchFacts, environment: ComputeEnvironment, data: Mapping[str, Any]) -> Iterator[str]:
    own = str(data.get("ImageId", ""))
    named = tuple(dict.fromkeys([*environment.images, *([own] if own.startswith("ami-") else [])]))
    images_found = facts.ask("its images", images, named) if named else None
    for image in named if images_found is not None else ():
        if image not in (images_found or {}):
            what = f"image {image} of compute environment {environment.name}"
            yield f"{what} is not there, or not shared with the account"


def _reservation_lines(facts: BatchFacts, environment: ComputeEnvironment, named: str) -> Iterator[str]:
    """Yield a line for each reason why instances do not get into what the launch template names."""
    where = f"of compute environment {environment.name}"
    by_id = facts.ask(_PART, ec2.capacity_reservations)
    ids = facts.ask(_PART, reservations_in, named) if named.startswith("arn:") else (named,)
    if by_id is None or facts.refuses(_PART):
        return
    if not ids:
        yield f"resource group {named} {where} is not there, or holds no capacity reservation"
    for id_ in ids or ():
        if id_ not in by_id:
            yield f"capacity reservation ID '{id_}' {where} does not exist in this account and region"
    reservations = [by_id[id_] for id_ in ids or () if id_ in by_id]
    yield from (_of_state(reservation, where) for reservation in reservations if reservation["State"] != "active")
    usable = [reservation for reservation in reservations if reservation["State"] == "active"]
    wrong = {
        reservation["CapacityReservationId"]: list(_mismatch(facts, reservation, environment)) for reservation in usable
    }
    yield from (line for lines in wrong.values() for line in lines)
    yield from _too_small(
        facts, [reservation for reservation in usable if not wrong[reservation["CapacityReservationId"]]], environment
    )


def _of_state(reservation: Described, where: str) -> str:
    kind = (
        "Capacity Block reservation"
        if reservation.get("ReservationType") == "capacity-block"
        else "capacity reservation"
    )
    begins = f", which begins at {reservation['StartDate']:%Y-%m-%d %H:%M} UTC" if _is_to_come(reservation) else ""
    return f"{kind} {reservation['CapacityReservationId']} is in state {reservation['State']}, {where}{begins}"


def _is_to_come(reservation: Described) -> bool:
    return reservation["State"] in _COMING and "StartDate" in reservation


def _mismatch(facts: BatchFacts, reservation: Described, environment: ComputeEnvironment) -> Iterator[str]:
    """Yield a line for what does not fit: the type, the zone."""
    id_, where = reservation["CapacityReservationId"], f"compute environment {environment.name}"
    types = environment.instance_types
    if all("." in offered for offered in types) and reservation.get("InstanceType") not in types:
        yield f"capacity reservation {id_} is for {reservation.get('InstanceType')}, and {where} has {', '.join(types)}"
    subnets = facts.ask("its subnets", ec2.subnets, environment.subnets) or {}
    zones = sorted({subnet["AvailabilityZone"] for subnet in subnets.values()})
    zone = reservation.get("AvailabilityZone")
    if zones and zone not in zones:
        yield f"capacity reservation {id_} is in zone {zone}, and {where} in {', '.join(zones)}"


def _too_small(facts: BatchFacts, usable: list[Described], environment: ComputeEnvironment) -> Iterator[str]:
    left = sum(reservation.get("AvailableInstanceCount", 0) for reservation in usable)
    total = sum(reservation.get("TotalInstanceCount", 0) for reservation in usable)
    for job in facts.waiting_for(environment) if usable else ():
        nodes = job.nodes or 1
        # Instances of the environment that are there already are in what is used.
        if nodes > total or (nodes > left and not environment.desired_vcpus):
            ids = ", ".join(reservation["CapacityReservationId"] for reservation in usable)
            yield (
                f"job {job.name} ({job.id}) needs {nodes} instances, and capacity reservation {ids} of compute "
                f"environment {environment.name} has {left} of {total} left"
            )
            return
