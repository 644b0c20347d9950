"""SSH that the whole internet may try."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield address ranges that are open to the world."""
    for index, cidr in enumerate(spec.access.allow_from):
        if is_open_to_world(cidr):
            yield Problem(("access", "allow_from", index), f"{cidr} lets much of the internet try SSH")


def is_open_to_world(cidr: str) -> bool:
    """Return whether a range is wider than any network that one organisation has, which are /8 at most."""
    return int(cidr.partition("/")[2]) < 8


RULE = Rule(
    severity="warning",
    title="SSH open to the world",
    rationale=(
        "Open SSH ports are probed within minutes. A cluster with a stolen key runs somebody else's jobs at tens "
        "of dollars an hour."
    ),
    remedy="name your own addresses, or none: SSM Session Manager opens a shell without any open port",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-rules-reference.html",
    bad="""\
access: {allow_from: [0.0.0.0/0]}
""",
    good="""\
access: {allow_from: [203.0.113.7/32]}
""",
    check=check,
)
