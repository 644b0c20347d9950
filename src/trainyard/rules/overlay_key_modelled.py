"""Keys in an overlay that the spec itself has, or that have no place in the file of the platform's program."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield them, with the key of the spec where there is one."""
    yield from platform_of(spec).overlay_problems(spec)


RULE = Rule(
    severity="error",
    title="Key in an overlay that the spec has, or that has no place there",
    rationale=(
        "An overlay is for keys that the spec does not have. They reach the program that makes the cluster as they are "
        "and no rule knows what they mean; those that the schema of the program does not have are found here. "
        "A key that the spec has would be written twice, and rules, plan and picture would "
        "speak of the one that does not hold. Queues, compute resources, pools and node groups are found by name; "
        "other entries of a list come after those that are there. Resources of CloudFormation's stacks are found "
        "by their logical ids, in the stacks that are made of this spec."
    ),
    remedy="write the key of the spec and remove it from the overlay, or write what the schema has",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="parallelcluster: {overlay: {HeadNode: {InstanceType: m5.large}}}",
    good="parallelcluster: {overlay: {HeadNode: {SharedStorageType: Efs}}}",
    check=check,
)
