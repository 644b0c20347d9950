"""Environments that a cluster names and that are not there, or not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.deploy.preflights import Preflight
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.rules import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.deploy.preflights import PreflightContext

_PATH = ("environment",)


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the environment where a cluster cannot be made in it."""
    name = context.spec.environment
    if name is None:
        return
    # What its clusters make carries its tag too, beside one of their own.
    stacks = [one for one in context.ask(stacks_tagged, ENVIRONMENT, name) if CLUSTER not in one.tags]
    if not stacks:
        yield Problem(_PATH, f"account {context.account.id} has no environment {name} in {context.spec.region}")
    for stack in stacks:
        if not stack.usable:
            remedy = "wait for it" if stack.in_progress else "deploy the spec of the environment again"
            yield Problem(_PATH, f"stack {stack.name} of environment {name} is {stack.status}", remedy)


PREFLIGHT = Preflight(
    severity="error",
    title="Environment that is not there",
    rationale=(
        "A cluster in an environment takes its network, file systems and monitoring from stacks that have to be there "
        "before, in the same region. Without them nothing says which subnets its nodes start in."
    ),
    remedy="deploy the spec of the environment first",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-describing-stacks.html",
    permissions=("cloudformation:DescribeStacks",),
    check=check,
)
