"""What a spec wants in a Local Zone that does not exist there, and types that exist in Local Zones alone."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre
from trainyard.spec.network import local_zone_place

# Deployment type availability, read 2026-11-23: https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html
_PERSISTENT_2 = ("us-east-1-atl", "us-east-1-dfw", "us-west-2-phx")
_OLDER_LUSTRE = ("us-west-2-lax",)
_THROUGHPUTS = (125, 250)
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html (read 2026-11-23)
_ULTRASERVERS, _THEIR_PLACE = "p6e-gb200.", "us-east-1-dfw"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield UltraServers outside their zone, and file systems, groups and control planes that Local Zones lack."""
    yield from _ultraservers(spec)
    yield from _control_plane(spec)
    zone = spec.network.availability_zone or ""
    place = local_zone_place(zone)
    if place is None:
        return
    for path, mount, lustre in spec.new_lustre():
        yield from _lustre(path, f"{mount} in {zone}", place, lustre)
    for group in spec.node_groups():
        if group.capacity_kind == "reservation_group":
            message = f"the Local Zone {zone} takes no groups of reservations"
            yield Problem((*group.path, "capacity"), message, "name one reservation by its id")


def _control_plane(spec: Spec) -> Iterator[Problem]:
    """Eksctl takes subnets of Local Zones apart from all others: https://eksctl.io/usage/local-zones/."""
    if not platform_of(spec).control_plane_spans_zones:
        return
    named: list[tuple[Path, str]] = [(("network", "availability_zone"), spec.network.availability_zone or "")]
    named += [(("queues", n, "availability_zone"), zone) for n, queue in enumerate(spec.queues) for zone in queue.zones]
    for path, zone in named:
        if local_zone_place(zone):
            message = f"trainyard makes no subnets for EKS in the Local Zone {zone}"
            yield Problem(path, message, "bring a network whose subnets are there, in network.existing")


def _ultraservers(spec: Spec) -> Iterator[Problem]:
    if spec.network.existing is not None or spec.environment is not None:
        return  # where its subnets lie, only AWS can tell
    for group in spec.node_groups():
        zones = group.queue.zones or tuple(filter(None, (spec.network.availability_zone,)))
        if group.instance_type.startswith(_ULTRASERVERS) and not any(zone.startswith(_THEIR_PLACE) for zone in zones):
            stands = f", and this stands in {', '.join(zones)}" if zones else ""
            message = f"AWS has {group.instance_type} in the Local Zone of Dallas{stands}"
            yield Problem((*group.path, "instance_type"), message, _MOVE, severity="warning")


def _lustre(path: Path, what: str, place: str, lustre: Lustre) -> Iterator[Problem]:
    if place in _OLDER_LUSTRE:
        if lustre.deployment == "PERSISTENT_2":
            yield Problem((*path, "deployment"), f"{what}: FSx has no PERSISTENT_2 there", "use PERSISTENT_1")
        return
    if place not in _PERSISTENT_2:
        yield Problem(path, f"{what}: FSx for Lustre is not known to be there", severity="warning")
        return
    remedy = "remove the key, or use PERSISTENT_2 with 125 or 250 MB/s for each TiB"
    wrong = {
        "deployment": lustre.deployment != "PERSISTENT_2",
        "efa": lustre.efa,
        "intelligent_tiering": lustre.intelligent_tiering is not None,
        "throughput_mb_s_per_tib": (lustre.throughput_mb_s_per_tib or _THROUGHPUTS[0]) not in _THROUGHPUTS,
    }
    for key, is_wrong in wrong.items():
        if is_wrong:
            yield Problem((*path, key), f"{what}: FSx for Lustre has no such {key} there", remedy)


_MOVE = (
    "write region: us-east-1 and network.availability_zone: us-east-1-dfw-2a, and switch the zone on for the account, "
    "where your Capacity Block lies there"
)

RULE = Rule(
    severity="error",
    confidence="likely",
    title="Local Zone without what is wanted there",
    rationale=(
        "A Local Zone has few instance types and services. FSx for Lustre is in four groups of them, in Dallas, "
        "Atlanta and Phoenix with SSD, without EFA and at 250 MB/s for each TiB at most; groups of reservations and "
        "the control plane of EKS are in none. P6e-GB200 is sold in the Local Zone of Dallas, which an account has to "
        "switch on. Whether EFS, OpenZFS and NAT gateways are in a Local Zone, AWS says for each."
    ),
    remedy="use what the Local Zone has, or an Availability Zone",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-launch.html",
    bad="""\
region: us-east-1
network: {availability_zone: us-east-1-dfw-2a}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 1000}}]
""",
    good="""\
region: us-east-1
network: {availability_zone: us-east-1-dfw-2a}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]
""",
    check=check,
)
