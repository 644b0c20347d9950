"""Environments that a cluster names and that are not there, not whole, or without what the cluster needs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.render.rendering import render
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.rules import Problem

_PATH = ("environment",)
# The stacks of an environment whose outputs its clusters use.
_SHARED = ("network", "storage", "monitoring")
_SECOND_ZONE = "write network.secondary_availability_zone into the spec of the environment, and deploy that again"
_OWN_NETWORK = (
    "name an environment that has a network of its own, or none: then network.existing and file_systems of this spec "
    "name what is there"
)


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the environment where a cluster cannot be made in it."""
    name = context.spec.environment
    if name is None:
        return
    # What its clusters make carries its tag too, beside one of their own.
    stacks = [stack for stack in context.ask(stacks_tagged, ENVIRONMENT, name) if CLUSTER not in stack.tags]
    if not stacks:
        yield Problem(_PATH, f"account {context.account.id} has no environment {name} in {context.spec.region}")
    for stack in stacks:
        if not stack.usable:
            remedy = "wait for it" if stack.in_progress else "deploy the spec of the environment again"
            yield Problem(_PATH, f"stack {stack.name} of environment {name} is {stack.status}", remedy)
    if stacks and all(stack.usable for stack in stacks):
        outputs = {key: value for stack in stacks for key, value in stack.outputs.items()}
        yield from _lacking(context, name, outputs)
        yield from _in_another_zone(context, name, outputs)


def _in_another_zone(context: PreflightContext, name: str, outputs: Mapping[str, str]) -> Iterator[Problem]:
    """Yield the zones of the cluster and its queues where the environment has its nodes and files in another one."""
    spec, subnet = context.spec, outputs.get("PrimaryPrivateSubnet")
    written = [(("network", "availability_zone"), "the cluster", spec.network.availability_zone)] + [
        (("queues", index, "availability_zone"), f"queue {queue.name}", zone)
        for index, queue in enumerate(spec.queues)
        for zone in (queue.zones if spec.network.availability_zone is None else ())
    ]
    named = [(path, who, zone) for path, who, zone in written if zone is not None]
    if subnet is None or not named:
        return
    zone_of_nodes = context.ask(ec2.subnets, (subnet,)).get(subnet, {}).get("AvailabilityZone")
    for path, who, zone in named:
        if zone_of_nodes not in (None, zone):
            message = f"nodes of environment {name} stand in {zone_of_nodes}, and {who} is to be in {zone}"
            yield Problem(path, message, f"write {zone_of_nodes}, or leave the zone out")


def _lacking(context: PreflightContext, name: str, stack_outputs: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what the cluster is to take from the environment, and what that has not made."""
    rendering = render(context.spec, stack_outputs)
    own = {stack.kind for stack in rendering.stacks}
    lacking = [stand_in for stand_in in rendering.stand_ins if stand_in.stack in _SHARED and stand_in.stack not in own]
    if not lacking:
        return
    outputs = {stand_in.output for stand_in in lacking}
    missing = "; ".join(f"{stand_in.what} ({stand_in.output})" for stand_in in lacking)
    remedy = "write it into the spec of the environment, and deploy that again"
    if "ComputeNodeSecurityGroup" in outputs or "PrimaryPrivateSubnet" in outputs:
        remedy = _OWN_NETWORK
    elif outputs == {"ControlPlaneSubnet"}:
        remedy = _SECOND_ZONE
    yield Problem(_PATH, f"environment {name} has not what the cluster takes from it: {missing}", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Environment that is not there",
    rationale=(
        "A cluster in an environment takes its network, file systems and monitoring from stacks that have to be there "
        "before, in the same region. Without them nothing says which subnets its nodes start in. A cluster of Amazon "
        "EKS also takes the subnet of a second zone, which an environment has only where its spec names that zone."
    ),
    remedy="deploy the spec of the environment first",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-describing-stacks.html",
    permissions=("cloudformation:DescribeStacks", "ec2:DescribeSubnets"),
    check=check,
)
