"""A cluster with more metrics than a workspace of Amazon Managed Prometheus takes without a higher quota."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.counts import count_text
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# The defaults of every region: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html
ACTIVE_SERIES = 50_000_000
# What a workspace takes at first, and whatever happened before; above it, twice what was used in the last half hour.
AT_ONCE = 2_000_000
# So few nodes stay below that with any instance type, of which the one with the most makes some 4,600 series; a test
# holds it. To count them exactly takes longer than all other rules together.
NODES_FOR_ANY_WORKSPACE = 200


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a spec whose most nodes make too many series, or whose fewest more than a new workspace takes."""
    if spec.monitoring.mode not in {"amp-only", "amp+amg"}:
        return
    if sum(group.max_nodes for group in spec.node_groups()) <= NODES_FOR_ANY_WORKSPACE:
        return
    # Imported here because only a workspace needs it, and every check imports this rule.
    from trainyard.monitoring.sizing import sizings  # noqa: PLC0415  as above

    least, most = sizings(spec)
    path = ("monitoring", "mode")
    if most.series is not None and most.series > ACTIVE_SERIES:
        amount = f"{count_text(most.nodes, 'node makes', 'nodes make')} {most.series:,} series"
        yield Problem(path, f"{spec.monitoring.mode}: {amount}, the quota is {ACTIVE_SERIES:,}")
    elif least.series is not None and least.series > AT_ONCE:
        message = (
            f"{spec.monitoring.mode}: {count_text(least.nodes, 'node makes', 'nodes make')} "
            f"{least.series:,} series from the start, and a new workspace takes {AT_ONCE:,}"
        )
        yield Problem(path, message, "expect gaps in the first hours, while it grows", severity="info")


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="More series than the quota of a workspace",
    rationale=(
        "Beyond its quota of active series, a workspace answers 429, and what is new is not kept. The default is 50 "
        "million; a workspace begins with 2 million and grows with what was used in the last half hour, so that the "
        "first hours of a large cluster have gaps. The quota of samples a second follows from that of series."
    ),
    remedy="ask for a higher quota of active series in Service Quotas before the deployment",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html",
    bad="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 40000}}
software: {setup: gpu}
monitoring: {mode: amp-only}
timeouts: {head_node_s: 3600}
""",
    good="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 400}}
software: {setup: gpu}
monitoring: {mode: amp-only}
timeouts: {head_node_s: 3600}
""",
    check=check,
)
