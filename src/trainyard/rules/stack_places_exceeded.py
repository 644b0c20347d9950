"""More of something than the templates of the stacks have places for."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# As in src/trainyard/render/cloudformation/; a test holds them together.
MOST_OF_A_KIND = 2
MOST_RANGES = 10
ZONES = "abcdef"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the first thing of each kind that has no place."""
    yield from _file_systems(spec)
    ranges = spec.access.allow_from
    # EKS takes the ranges itself, and has a limit of its own: eks-quota-exceeded.
    if not platform_of(spec).has_kubernetes and len(ranges) > MOST_RANGES:
        message = f"{ranges[MOST_RANGES]} is number {MOST_RANGES + 1} of the ranges, and their list takes {MOST_RANGES}"
        yield Problem(("access", "allow_from", MOST_RANGES), message, "join ranges that lie side by side")
    if spec.network.existing is None:
        yield from _zones(spec)


def _file_systems(spec: Spec) -> Iterator[Problem]:
    for kind in ("lustre", "openzfs"):
        indexes = [
            index
            for index, file_system in enumerate(spec.file_systems)
            if file_system.kind == kind and file_system.settings.id is None
        ]
        if len(indexes) > MOST_OF_A_KIND:
            index = indexes[MOST_OF_A_KIND]
            mount = spec.file_systems[index].mount
            count = f"number {MOST_OF_A_KIND + 1} of kind {kind}"
            message = f"{mount} is {count} to be made, and the stack takes {MOST_OF_A_KIND}"
            yield Problem(("file_systems", index), message, "make it apart from the cluster, and name it by id")


def _zones(spec: Spec) -> Iterator[Problem]:
    for index, queue in enumerate(spec.queues):
        if queue.subnet == "private":
            for zone in queue.zones:
                if zone[-1] not in ZONES and zone != spec.network.availability_zone:
                    message = f"the network has places for subnets in zones from a to f, not in {zone}"
                    yield Problem(("queues", index, "availability_zone"), message, "name a subnet of your own by id")


RULE = Rule(
    severity="error",
    title="More than the stacks have places for",
    rationale=(
        "The network and the file systems come from fixed templates, so that everybody can read what is deployed. "
        "They have places for two file systems of each kind of FSx, ten address ranges and zones from a to f."
    ),
    remedy="make the others apart from the cluster",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html",
    bad="""\
file_systems:
  - {mount: /one, openzfs: {size_gib: 64}}
  - {mount: /two, openzfs: {size_gib: 64}}
  - {mount: /three, openzfs: {size_gib: 64}}
""",
    good="""\
file_systems:
  - {mount: /one, openzfs: {size_gib: 64}}
  - {mount: /two, openzfs: {size_gib: 64}}
""",
    check=check,
)
