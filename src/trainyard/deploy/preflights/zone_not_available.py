"""Availability zones that do not exist, or that the account has not switched on."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.finding import Path
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield zones in which nothing can be made."""
    for path, name in _zones(context):
        zones = context.ask(ec2.zones)
        zone = zones.get(name)
        if zone is None:
            usual = [other for other, zone_facts in zones.items() if zone_facts.get("ZoneType") == "availability-zone"]
            yield Problem(
                path, f"account {context.account.id} has no zone {name}", f"choose {', '.join(sorted(usual))}"
            )
        elif zone.get("OptInStatus") == "not-opted-in":
            remedy = f"`aws ec2 modify-availability-zone-group --group-name {zone.get('GroupName')}` switches it on"
            yield Problem(path, f"account {context.account.id} has not switched on zone {name}", remedy)
        elif zone.get("State", "available") != "available":
            yield Problem(path, f"zone {name} is {zone['State']}")


def _zones(context: PreflightContext) -> Iterator[tuple[Path, str]]:
    spec = context.spec
    for key in ("availability_zone", "secondary_availability_zone"):
        if (zone := getattr(spec.network, key)) is not None:
            yield ("network", key), zone
    for index, zone in enumerate(spec.network.further_availability_zones):
        yield ("network", "further_availability_zones", index), zone
    for index, queue in enumerate(spec.queues):
        yield from ((("queues", index, "availability_zone"), zone) for zone in queue.zones)


PREFLIGHT = Preflight(
    severity="error",
    title="Zone that cannot be used",
    rationale=(
        "Letters of zones are not the same everywhere: a region has the ones it has, accounts may lack some of them, "
        "and Local Zones are off until they are switched on. The first subnet would already fail."
    ),
    remedy="choose a zone of `aws ec2 describe-availability-zones`",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html",
    permissions=("ec2:DescribeAvailabilityZones",),
    check=check,
)
