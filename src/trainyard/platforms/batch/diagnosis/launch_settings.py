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
    for one in facts.environments:
        data = _template(facts, one)
        if data is None and one.launch_template is not None and not facts.refuses(_TEMPLATES):
            named, version = one.launch_template
            yield f"launch template {named} with version {version} of compute environment {one.name} does not exist"
        yield from _images(facts, one, data or {})
        if (reserved := reservation_of(data or {})) is not None:
            yield from _reservation_lines(facts, one, reserved)


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
    found = facts.ask("its images", images, named) if named else None
    for image in named if found is not None else ():
        if image not in (found or {}):
            what = f"image {image} of compute environment {environment.name}"
            yield f"{what} is not there, or not shared with the account"


def _reservation_lines(facts: BatchFacts, environment: ComputeEnvironment, named: str) -> Iterator[str]:
    """Yield a line for each reason why instances do not get into what the launch template names."""
    where = f"of compute environment {environment.name}"
    known = facts.ask(_PART, ec2.capacity_reservations)
    ids = facts.ask(_PART, reservations_in, named) if named.startswith("arn:") else (named,)
    if known is None or facts.refuses(_PART):
        return
    if not ids:
        yield f"resource group {named} {where} is not there, or holds no capacity reservation"
    for id_ in ids or ():
        if id_ not in known:
            yield f"capacity reservation ID '{id_}' {where} does not exist in this account and region"
    found = [known[id_] for id_ in ids or () if id_ in known]
    yield from (_of_state(one, where) for one in found if one["State"] != "active")
    usable = [one for one in found if one["State"] == "active"]
    wrong = {one["CapacityReservationId"]: list(_mismatch(facts, one, environment)) for one in usable}
    yield from (line for lines in wrong.values() for line in lines)
    yield from _too_small(facts, [one for one in usable if not wrong[one["CapacityReservationId"]]], environment)


def _of_state(one: Described, where: str) -> str:
    kind = "Capacity Block reservation" if one.get("ReservationType") == "capacity-block" else "capacity reservation"
    begins = f", which begins at {one['StartDate']:%Y-%m-%d %H:%M} UTC" if _is_to_come(one) else ""
    return f"{kind} {one['CapacityReservationId']} is in state {one['State']}, {where}{begins}"


def _is_to_come(one: Described) -> bool:
    return one["State"] in _COMING and "StartDate" in one


def _mismatch(facts: BatchFacts, one: Described, environment: ComputeEnvironment) -> Iterator[str]:
    """Yield a line for what does not fit: the type, the zone."""
    id_, where = one["CapacityReservationId"], f"compute environment {environment.name}"
    types = environment.instance_types
    if all("." in offered for offered in types) and one.get("InstanceType") not in types:
        yield f"capacity reservation {id_} is for {one.get('InstanceType')}, and {where} has {', '.join(types)}"
    found = facts.ask("its subnets", ec2.subnets, environment.subnets) or {}
    zones = sorted({subnet["AvailabilityZone"] for subnet in found.values()})
    if zones and one.get("AvailabilityZone") not in zones:
        yield f"capacity reservation {id_} is in zone {one.get('AvailabilityZone')}, and {where} in {', '.join(zones)}"


def _too_small(facts: BatchFacts, usable: list[Described], environment: ComputeEnvironment) -> Iterator[str]:
    left = sum(one.get("AvailableInstanceCount", 0) for one in usable)
    total = sum(one.get("TotalInstanceCount", 0) for one in usable)
    for job in facts.waiting_for(environment) if usable else ():
        nodes = job.nodes or 1
        # Instances of the environment that are there already are in what is used.
        if nodes > total or (nodes > left and not environment.desired_vcpus):
            ids = ", ".join(one["CapacityReservationId"] for one in usable)
            yield (
                f"job {job.name} ({job.id}) needs {nodes} instances, and capacity reservation {ids} of compute "
                f"environment {environment.name} has {left} of {total} left"
            )
            return
