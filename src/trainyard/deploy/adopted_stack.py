"""The stack of a cluster that is older than its spec: it has the tags of the program that made it, and none of ours."""

from __future__ import annotations

from trainyard.edge.aws.stacks import StackState
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec


def is_adopted(spec: Spec, stack: StackState) -> bool:
    """Return whether a stack is that of the cluster that a spec has adopted."""
    platform = platform_of(spec)
    tag = platform.stack_tag
    adopts = platform.made_by_parallelcluster and spec.parallelcluster.adopted
    return adopts and tag is not None and stack.tags.get(tag) == spec.name == stack.name
