"""A remote desktop that the whole internet may try."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.rules.ssh_open_to_world import is_open_to_world
from trainyard.spec.access import Dcv
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield remote desktops that are open to the world."""
    for path, dcv in remote_desktops(spec):
        if dcv.allow_from is not None and is_open_to_world(dcv.allow_from):
            yield Problem((*path, "allow_from"), f"{dcv.allow_from} lets much of the internet try port {dcv.port}")


def remote_desktops(spec: Spec) -> Iterator[tuple[Path, Dcv]]:
    """Yield the remote desktops of head node and login pools, with their places."""
    if spec.head_node.dcv is not None:
        yield ("head_node", "dcv"), spec.head_node.dcv
    for path, pool in spec.login_pools():
        if pool.dcv is not None:
            yield (*path, "dcv"), pool.dcv


RULE = Rule(
    severity="warning",
    title="Remote desktop open to the world",
    rationale=(
        "A DCV session is a shell with a picture. A port that everybody reaches leaves nothing but a token between "
        "the internet and the user that owns the cluster."
    ),
    remedy="name your own addresses, or none: private addresses and tunnels of Session Manager still reach it",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/dcv-v3.html",
    bad="""\
head_node: {dcv: {allow_from: 0.0.0.0/0}}
""",
    good="""\
head_node: {dcv: {allow_from: 203.0.113.7/32}}
""",
    check=check,
)
