"""Policies, secrets, keys and reservations of another partition of AWS than the region's."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.partition import partition_of
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.outside_region import regional_arns
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield ARNs whose partition is not the region's. What names another region as well is for outside-region."""
    expected = partition_of(spec.region)
    for path, what, arn in _arns(spec):
        _, partition, service_and_rest = arn.split(":", maxsplit=2)
        if partition != expected and arn.split(":")[3] in ("", spec.region):
            message = f"the {what} {arn} is in the partition {partition}, and {spec.region} in {expected}"
            yield Problem(path, message, f"write arn:{expected}:{service_and_rest}")


def _arns(spec: Spec) -> Iterator[tuple[Path, str, str]]:
    if spec.iam.permissions_boundary is not None:
        yield ("iam", "permissions_boundary"), "permissions boundary", spec.iam.permissions_boundary
    yield from ((("iam", "policies", index), "policy", arn) for index, arn in enumerate(spec.iam.policies))
    yield from regional_arns(spec)


RULE = Rule(
    severity="error",
    title="ARN of another partition",
    rationale=(
        "AWS GovCloud, the regions in China and other closed parts of AWS have accounts, policies and keys of their "
        "own, and ARNs that begin in their own way. A role cannot be made with a policy of another partition, not even "
        "with one that AWS manages and that has the same name in both."
    ),
    remedy="write the ARN as it begins in the partition of the region",
    source="https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/using-govcloud-arns.html",
    bad="""\
region: us-gov-west-1
iam: {policies: ["arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly"]}
""",
    good="""\
region: us-gov-west-1
iam: {policies: ["arn:aws-us-gov:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly"]}
""",
    check=check,
)
