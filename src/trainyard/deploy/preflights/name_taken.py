"""Stacks that have the name already: of somebody else, or left over by a deployment that failed."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.adopted_stack import is_adopted
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.render.shared_stacks import shared_stacks
from trainyard.render.tags import own_tags
from trainyard.rules import Problem

# A stack that can only be deleted.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
_FAILED = {"CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"}


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the name where a stack stands in the way. A whole stack of the same cluster does not."""
    platform, name = platform_of(context.spec), context.spec.name
    for other in PLATFORMS.values() if platform.cluster_step is not None else ():
        stack, is_own = _existing(context, other.cluster_stack(name))
        if other is platform:
            yield from _own_place(context, stack, is_own=is_own, needs_recreate=platform.keeps_failed_cluster)
        elif stack is not None and is_own:
            message = f"stack {stack.name} is a cluster of this name on {other.name}"
            yield Problem(("name",), message, "choose another name, or destroy that cluster first")
    for kind in (*shared_stacks(), "nodes"):
        stack, is_own = _existing(context, f"{name}-{kind}")
        yield from _own_place(context, stack, is_own=is_own, needs_recreate=False)


def _existing(context: PreflightContext, name: str) -> tuple[StackState | None, bool]:
    """Return a stack that is there, and whether it was made for the cluster or environment of the spec."""
    stack = context.ask(find_stack, name)
    if stack is None or stack.status == "DELETE_COMPLETE":
        return None, False
    if context.spec.parallelcluster.adopted:
        return stack, is_adopted(context.spec, stack)
    return stack, all(stack.tags.get(tag) == value for tag, value in own_tags(context.spec).items())


def _own_place(
    context: PreflightContext, stack: StackState | None, *, is_own: bool, needs_recreate: bool
) -> Iterator[Problem]:
    """Yield what is wrong with a stack that stands where the deployment makes one of its own."""
    if stack is not None and is_own:
        yield from _left_over(context, stack, needs_recreate=needs_recreate)
    elif stack is not None:
        what = "environment" if context.spec.is_environment else "cluster"
        message = f"account {context.account.id} has a stack {stack.name} already, which was not made for this {what}"
        yield Problem(("name",), message)


def _left_over(context: PreflightContext, stack: StackState, *, needs_recreate: bool) -> Iterator[Problem]:
    message = f"stack {stack.name} of an earlier deployment is {stack.status}"
    if stack.status in _FAILED and needs_recreate and not context.recreates:
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
