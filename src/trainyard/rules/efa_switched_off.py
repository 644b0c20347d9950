"""Several nodes that could talk through EFA and are told not to."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.document.node import Document
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import EksctlNodes, node_groups
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield groups of nodes with ``efa: false`` whose type is known to have EFA."""
    for group in spec.node_groups():
        if group.efa is not False:
            continue
        is_alone = group.max_nodes < 2
        known = (facts for facts in map(find, group.instance_types) if facts and facts.has_efa)
        facts = next((facts for facts in known if facts.multi_card or not is_alone), None)
        if facts is not None:
            speed = f" and its {facts.efa_gbit_s:,} Gbit/s" if facts.efa_gbit_s else ""
            problem = f"queue {group.queue.name!r} leaves the EFA of {facts.name}{speed} unused"
            # EFA is switched on for nodes that start: with a second one, all of them have to start anew.
            alone = f"{problem}, which one node alone does not need" if is_alone else problem
            yield Problem((*group.path, "efa"), alone, severity="info" if is_alone else None)


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield groups of several nodes whose EFA is switched off, or not switched on though they have several cards."""
    for group in node_groups(document):
        is_off = group.written.get("efaEnabled") is False
        facts = next((facts for facts in group.facts if facts.has_efa and (facts.multi_card or is_off)), None)
        if facts is not None and not group.uses_efa and _may_be_several(group):
            speed = f" with its {facts.efa_gbit_s:,} Gbit/s" if facts.efa_gbit_s else ""
            path = (*group.path, "efaEnabled") if is_off else group.path
            yield Problem(path, f"node group {group.name!r} leaves the EFA of {facts.name}{speed} unused")


def _may_be_several(group: EksctlNodes) -> bool:
    sizes = (group.written.get(key) for key in ("maxSize", "desiredCapacity", "minSize"))
    return max((size for size in sizes if isinstance(size, int)), default=2) > 1


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
EKSCTL = RULE.in_documents(
    "eksctl-efa-not-enabled",
    check_eksctl,
    title="EFA not switched on",
    rationale=f"eksctl adds no EFA by itself. {RULE.rationale}",
    remedy="write efaEnabled: true and privateNetworking: true",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    bad="""\
managedNodeGroups:
  - {name: p4d, instanceType: p4d.24xlarge, desiredCapacity: 2, privateNetworking: true}
""",
    good="""\
managedNodeGroups:
  - name: p4d
    instanceType: p4d.24xlarge
    desiredCapacity: 2
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
""",
)
