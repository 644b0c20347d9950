"""Lists the clusters and environments of a region by the stacks that they are made of, whoever made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState, all_stacks
from trainyard.operate.status.cluster_stacks import stacks_of_cluster, stacks_of_environment
from trainyard.platform_table import PLATFORMS
from trainyard.render.tags import CLUSTER, ENVIRONMENT


class RegionCluster(NamedTuple):
    """A cluster or environment of a region."""

    name: str
    platform: str | None
    """None where only stacks beside the cluster are there, so that none of them tells."""
    status: str | None
    """That of the stack that is the cluster, or of an environment's worst; None where that stack is missing."""
    environment: str | None
    """The environment that it is in."""
    ours: bool
    """Whether trainyard made it."""
    stacks: tuple[str, ...]
    """The names of its stacks."""


def region_clusters(account: Account) -> tuple[RegionCluster, ...]:
    """Return the clusters and environments of a region, by name.

    Clusters that no stack of CloudFormation was made for, such as those of the console of EKS, are not among them.
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    stacks = all_stacks(account)
    names = dict.fromkeys(name for stack in stacks for name in _cluster_names(stack))
    clusters = [_cluster(name, stacks) for name in names]
    environments = dict.fromkeys(
        stack.tags[ENVIRONMENT] for stack in stacks if ENVIRONMENT in stack.tags and CLUSTER not in stack.tags
    )
    return tuple(sorted([*clusters, *(_environment(name, stacks) for name in environments)]))


def _cluster_names(stack: StackState) -> Iterator[str]:
    tags = (CLUSTER, *(platform.stack_tag for platform in PLATFORMS.values() if platform.stack_tag))
    yield from (stack.tags[tag] for tag in tags if tag in stack.tags)


def _cluster(name: str, stacks: Sequence[StackState]) -> RegionCluster:
    own = stacks_of_cluster(stacks, name, *(platform.stack_tag or "" for platform in PLATFORMS.values()))
    states = {stack.name: stack for stack in own}
    platform = next((platform for platform in PLATFORMS.values() if platform.cluster_stack(name) in states), None)
    return RegionCluster(
        name,
        None if platform is None else platform.name,
        None if platform is None else states[platform.cluster_stack(name)].status,
        next((stack.tags[ENVIRONMENT] for stack in own if ENVIRONMENT in stack.tags), None),
        any(CLUSTER in stack.tags for stack in own),
        tuple(states),
    )


def _environment(name: str, stacks: Sequence[StackState]) -> RegionCluster:
    own = stacks_of_environment(stacks, name)
    worst = min(own, key=lambda stack: stack.usable)
    return RegionCluster(name, "environment", worst.status, None, True, tuple(stack.name for stack in own))  # noqa: FBT003
