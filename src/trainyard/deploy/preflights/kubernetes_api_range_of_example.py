"""Ranges of examples that are to reach a public Kubernetes API, and that EKS refuses."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.reserved_ranges import is_of_documentation
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield ranges that were copied from an example. Nobody is asked."""
    spec = context.spec
    if spec.eks.endpoint == "private":
        return
    for index, cidr in enumerate(spec.access.allow_from):
        if is_of_documentation(cidr):
            yield Problem(("access", "allow_from", index), f"{cidr} is a range of examples, from which nobody comes")


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="Range of an example for a public Kubernetes API",
    rationale=(
        "192.0.2.0/24, 198.51.100.0/24 and 203.0.113.0/24 are for documentation alone. EKS refuses to make a cluster "
        "with one of them among the ranges of its public endpoint, once the network and the file systems are there."
    ),
    remedy="write the address that you have on the internet, which `curl https://checkip.amazonaws.com` prints",
    source="https://www.rfc-editor.org/rfc/rfc5737",
    permissions=(),
    check=check,
)
