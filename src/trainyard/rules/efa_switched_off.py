"""Several nodes that could talk through EFA and are told not to."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield groups of nodes with ``efa: false`` whose type is known to have EFA."""
    for group in spec.node_groups():
        if group.efa is not False or group.max_nodes < 2:
            continue
        facts = next((facts for facts in map(find, group.instance_types) if facts and facts.has_efa), None)
        if facts is not None:
            speed = f" and its {facts.efa_gbit_s:,} Gbit/s" if facts.efa_gbit_s else ""
            problem = f"queue {group.queue.name!r} leaves the EFA of {facts.name}{speed} unused"
            yield Problem((*group.path, "efa"), problem)


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="EFA switched off",
    rationale=(
        "Without EFA, NCCL falls back to TCP sockets between the nodes: jobs run, and run several times slower, "
        "while the nodes cost the same."
    ),
    remedy="remove efa: it is on by itself; switch it off only where nodes do not work together",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html",
    bad="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}, efa: false}
""",
    good="""\
queues:
  - {name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
""",
    check=check,
)
