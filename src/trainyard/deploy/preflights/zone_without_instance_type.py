"""Instance types that the zone, or the whole region, does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import zones_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.finding import Severity
from trainyard.launch.launch import Launch, launches
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the instance types of nodes that are not offered where the nodes are to stand."""
    every = list(launches(context.spec))
    offered = context.ask(
        ec2.offered_zones, tuple(sorted({name for launch in every for name in launch.instance_types}))
    )
    for launch in every:
        for name in launch.instance_types:
            yield from _problems(context, launch, name, offered[name])


def _problems(context: PreflightContext, launch: Launch, name: str, offered: tuple[str, ...]) -> Iterator[Problem]:
    zones = zones_of(context, launch)
    if not offered:
        yield Problem(
            launch.paths.instance_type, f"{context.spec.region} has no {name}", "choose another type, or another region"
        )
    elif lacking := [zone for zone in zones if zone not in offered]:
        message = f"{', '.join(lacking)} has no {name}, which {launch.title} is of"
        # Several zones are a choice: nodes start in those that have the type.
        severity: Severity = "warning" if set(zones) & set(offered) else "error"
        yield Problem(launch.paths.instance_type, message, f"choose {', '.join(offered)}", severity)


PREFLIGHT = Preflight(
    severity="error",
    title="Instance type that the zone does not have",
    rationale=(
        "Large accelerated types are in few zones, and an account sees only some of them. A queue in any other zone "
        "never gets a node, and file systems in that zone are of no use to the right one."
    ),
    remedy="choose a zone of `aws ec2 describe-instance-type-offerings --location-type availability-zone`",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    permissions=("ec2:DescribeInstanceTypeOfferings", "ec2:DescribeSubnets"),
    check=check,
)
