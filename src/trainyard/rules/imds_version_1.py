"""The first version of the instance metadata service."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield v1.0, which also answers requests without a session."""
    if spec.parallelcluster.imds == "v1.0":
        problem = f"imds {spec.parallelcluster.imds} hands out credentials to any request that reaches it"
        path = ("parallelcluster", "imds")
        yield Problem(path, problem, fix=Fix(path, "v2.0"))


RULE = Rule(
    severity="warning",
    title="Instance metadata without a session",
    rationale=(
        "The metadata service hands out the credentials of a node. In its first version one simple request is "
        "enough, so that a program that can be talked into fetching an address gives them away."
    ),
    remedy="remove the key: v2.0 is the default",
    source="https://aws.amazon.com/blogs/security/defense-in-depth-open-firewalls-reverse-proxies-ssrf-vulnerabilities-ec2-instance-metadata-service/",
    bad="""\
parallelcluster: {imds: v1.0}
""",
    good="""\
parallelcluster: {imds: v2.0}
""",
    check=check,
)
