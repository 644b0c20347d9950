"""A key that ParallelCluster does not know, or no longer knows."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from trainyard.catalog.parallelcluster_keys import parallelcluster_kinds
from trainyard.document.node import Document
from trainyard.document.problems import meant_key, short, without_password
from trainyard.finding import Fix
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.parallelcluster.config import ConfigKey, config_keys, has_key, newest_line

_MOST_LISTED = 12


def check(document: Document) -> Iterator[Problem]:
    """Yield keys that the newest version has not."""
    newest = newest_line()
    for key in config_keys(document):
        if not key.is_missing and not has_key(key, newest):
            yield Problem(key.path, _message(key, newest), _remedy(key), fix=_fix(key))


def _message(key: ConfigKey, newest: str) -> str:
    shown = short(without_password(key.name))
    if key.shape is not None:
        return (
            f"ParallelCluster {newest} has no {key.name} here any more; {key.shape['in'][-1]} was the last that had it"
        )
    if nested := _nested(key):
        return f"ParallelCluster has {key.name} below {nested}, not here"
    close = get_close_matches(key.name, key.known, n=1, cutoff=0.6) or _contained(key)
    return f"ParallelCluster knows no key {shown} here{f'; did you mean {close[0]!r}?' if close else ''}"


def _fix(key: ConfigKey) -> Fix | None:
    meant = None if key.shape is not None or _nested(key) else meant_key(key.name, key.known)
    return Fix(key.path, key=meant) if meant else None


def _nested(key: ConfigKey) -> str | None:
    """Return the sibling that has the key."""
    kinds = parallelcluster_kinds()
    return next((name for name, shape in key.known.items() if key.name in kinds.get(shape["type"], ())), None)


def _contained(key: ConfigKey) -> list[str]:
    return [name for name in key.known if name in key.name]


def _remedy(key: ConfigKey) -> str | None:
    if key.shape is not None or len(key.known) > _MOST_LISTED:
        return None
    return f"here belong: {', '.join(sorted(key.known))}"


RULE = DocumentRule(
    severity="error",
    title="Key that ParallelCluster does not know",
    rationale=(
        "ParallelCluster refuses a configuration with a key that its schema does not have. The keys are those of the "
        "newest versions; of one that was removed, the message says which version was the last that had it."
    ),
    remedy="correct the key, or remove it",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Dcv: {Emabled: true}
""",
    good="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Dcv: {Enabled: true}
""",
    check=check,
)
