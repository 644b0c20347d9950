"""A timeout of ParallelCluster for nodes that start that is far below its own."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at

_PATH = ("DevSettings", "Timeouts")
_KEYS = ("HeadNodeBootstrapTimeout", "ComputeNodeBootstrapTimeout")
# Half of the 1,800 s that were ParallelCluster's default before it was raised.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/DevSettings-cluster-v3.html
_LEAST_S = 900


def check(document: Document) -> Iterator[Problem]:
    """Yield each that is below a quarter of an hour."""
    written = mapping_at(document, *_PATH)
    for key in _KEYS:
        seconds = written.get(key)
        if isinstance(seconds, int) and not isinstance(seconds, bool) and 0 < seconds < _LEAST_S:
            yield Problem((*_PATH, key), f"{key} of {seconds} s leaves nodes {seconds / 60:.0f} minutes to start")


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Timeout for nodes that start below a quarter of an hour",
    rationale=(
        "A node that is not ready in time is ended and started anew, and a head node takes the whole cluster with it. "
        "Instances with many accelerators take minutes to boot, and custom actions come on top: ParallelCluster itself "
        "waits half an hour and more."
    ),
    remedy="leave it out, or write twice what the slowest node takes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/DevSettings-cluster-v3.html",
    bad="""\
DevSettings: {Timeouts: {HeadNodeBootstrapTimeout: 300}}
""",
    good="""\
DevSettings: {Timeouts: {HeadNodeBootstrapTimeout: 2400}}
""",
    check=check,
)
