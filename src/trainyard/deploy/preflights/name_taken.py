"""Stacks that have the name already: of somebody else, or left over by a deployment that failed."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.render.tags import own_tags
from trainyard.rules import Problem

_BESIDE = ("{}-network", "{}-storage", "{}-monitoring", "{}-rules", "{}-assets", "{}-nodes")
# What the stack of the cluster itself is called, by its platform.
_OF_CLUSTER = {"parallelcluster": "{}", "batch": "{}-batch", "eks": "eksctl-{}-cluster"}
# Those whose failed stack the deployment deletes only when it is told to.
_KEPT = {"{}", "eksctl-{}-cluster"}
# A stack that can only be deleted.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
_FAILED = {"CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"}


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the name where a stack stands in the way. A whole stack of the same cluster does not."""
    for pattern in _BESIDE if context.spec.is_environment else (*_OF_CLUSTER.values(), *_BESIDE):
        name = pattern.format(context.spec.name)
        stack = context.ask(find_stack, name)
        if stack is None or stack.status == "DELETE_COMPLETE":
            continue
        ours = all(stack.tags.get(tag) == value for tag, value in own_tags(context.spec).items())
        if (platform := _other_platform(context, pattern)) is not None:
            if ours:
                message = f"stack {name} is a cluster of this name on {platform}"
                yield Problem(("name",), message, "choose another name, or destroy that cluster first")
        elif not ours:
            what = "environment" if context.spec.is_environment else "cluster"
            message = f"account {context.account.id} has a stack {name} already, which was not made for this {what}"
            yield Problem(("name",), message)
        else:
            yield from _left_over(context, stack, is_cluster=pattern in _KEPT)


def _other_platform(context: PreflightContext, pattern: str) -> str | None:
    """Return the platform whose clusters have such a stack, where it is not that of the spec."""
    others = (platform for platform, own in _OF_CLUSTER.items() if own == pattern and platform != context.spec.platform)
    return next(others, None)


def _left_over(context: PreflightContext, stack: StackState, *, is_cluster: bool) -> Iterator[Problem]:
    message = f"stack {stack.name} of an earlier deployment is {stack.status}"
    if stack.status in _FAILED and is_cluster and not context.recreates:
        remedy = "`trainyard deploy --recreate` deletes it and makes it again, `trainyard destroy` removes everything"
        yield Problem(("name",), message, remedy)
    elif stack.status in (*_FAILED, "DELETE_FAILED"):
        yield Problem(("name",), message, "the deployment deletes it first", "warning")
    elif stack.status == "DELETE_IN_PROGRESS":
        yield Problem(("name",), message, "the deployment waits until it is gone", "warning")


PREFLIGHT = Preflight(
    severity="error",
    title="Name that is taken",
    rationale=(
        "Stacks are found by their names, of which there is one each in an account and region. A stack that trainyard "
        "did not make for this cluster is not touched. One whose creation failed can only be deleted, and a cluster "
        "that failed is kept for a look at why."
    ),
    remedy="choose another name, or delete the stack if nobody needs it",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html",
    permissions=("cloudformation:DescribeStacks",),
    check=check,
)
