"""Whether Amazon EKS supports a version of Kubernetes, by the day on which the catalog was last compared.

Rules have no clock, so that a spec is judged the same on every day. `deploy` asks AWS.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from trainyard.catalog.by_version import line_of, number_of
from trainyard.catalog.kubernetes_versions import find_version, known_versions, sources_of


class Support(NamedTuple):
    """The support of a version."""

    state: Literal["standard", "extended", "ended", "unknown"]
    until: str | None
    """The day on which this state ends, or for ``ended`` the day on which it began; None where nobody knows."""
    as_of: str
    """The day of the comparison."""


def support_of(version: str) -> Support:
    """Return the support of a version. One older than all of the catalog's has ended, a newer one is unknown."""
    known = known_versions()
    facts = find_version(version)
    as_of = max(source.read for source in sources_of(known[-1]).values())
    if facts is None:
        return Support("ended" if is_older(version, known[0]) else "unknown", None, as_of)
    if as_of < facts.standard_until:
        return Support("standard", facts.standard_until, as_of)
    if as_of < facts.extended_until:
        return Support("extended", facts.extended_until, as_of)
    return Support("ended", facts.extended_until, as_of)


def is_older(version: str, other: str) -> bool:
    """Return whether a minor version of Kubernetes came before another; not so where one of the texts is none."""
    are_versions = all(text and line_of(text) == text for text in (version, other))
    return are_versions and number_of(version) < number_of(other)


def versions_in_standard_support() -> tuple[str, ...]:
    """Return the versions that a cluster costs the least with, oldest first."""
    return tuple(version for version in known_versions() if support_of(version).state == "standard")
