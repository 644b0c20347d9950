"""Places that lie outside the region of the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule
from trainyard.spec.capacity import Reserved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path
    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield zones and reservation groups of another region."""
    for path, zone in _zones(spec):
        if not zone.startswith(spec.region):
            yield Problem(path, f"zone {zone} is not in {spec.region}")
    for group in spec.node_groups():
        arn = group.capacity.reservation_group if isinstance(group.capacity, Reserved) else None
        if arn is not None and arn.split(":")[3] != spec.region:
            yield Problem(
                (*group.path, "capacity", "reservation_group"),
                f"the reservation group is in {arn.split(':')[3]}, not in {spec.region}",
            )


def _zones(spec: Spec) -> Iterator[tuple[Path, str]]:
    if spec.network.availability_zone is not None:
        yield ("network", "availability_zone"), spec.network.availability_zone
    for index, queue in enumerate(spec.queues):
        yield from ((("queues", index, "availability_zone"), zone) for zone in queue.zones)


RULE = Rule(
    severity="error",
    title="Zone or reservation of another region",
    rationale="Subnets, reservations and instances of one cluster lie in one region.",
    remedy="make region and zone agree; reservations of another region cannot be used",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html",
    bad="""\
region: us-east-2
network: {availability_zone: us-west-2a}
""",
    good="""\
region: us-east-2
network: {availability_zone: us-east-2a}
""",
    check=check,
)
