"""Instance types that are to stand in for each other and cannot."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find, uses_efa
from trainyard.counts import count_text
from trainyard.finding import Severity
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

# The gravest first. ParallelCluster cuts EFA interfaces down to the fewest, and does not look at the model of a GPU.
_SEVERITIES: dict[str, Severity] = {
    "processors": "error",
    "accelerators": "error",
    "efa": "error",
    "chips": "warning",
    "efa_interfaces": "warning",
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield kinds of nodes whose instance types differ in what Slurm is told about them, as far as it is known."""
    for group in spec.node_groups():
        all_facts = [facts for facts in map(find, group.instance_types) if facts is not None]
        for other in all_facts[1:]:
            yield from _difference(group, all_facts[0], other)


def _difference(group: NodeGroup, first: InstanceType, other: InstanceType) -> Iterator[Problem]:
    """Yield what two types differ in, as one problem that weighs as much as its gravest part."""
    expected, actual = _traits(group, first), _traits(group, other)
    differing = [
        trait for trait in _SEVERITIES if trait in expected and expected[trait] != actual.get(trait, expected[trait])
    ]
    if differing:
        first_traits, other_traits = (", ".join(traits[trait] for trait in differing) for traits in (expected, actual))
        message = f"queue {group.queue.name!r} lists {first.name} ({first_traits}) beside {other.name} ({other_traits})"
        yield Problem((*group.path, "instance_types"), message, severity=_SEVERITIES[differing[0]])


def _traits(group: NodeGroup, facts: InstanceType) -> dict[str, str]:
    """Return what must agree, in words, without what is unknown or does not matter here."""
    efa = uses_efa(group.instance_type, group.efa)
    traits = {
        "processors": _count(facts.vcpus, "vCPU") if group.settings.multithreading else _count(facts.cores, "core"),
        "accelerators": _count(facts.neuron_count, "Neuron device") if facts.neuron else _count(facts.gpu_count, "GPU"),
        # Where EFA was asked for, efa-not-supported names the types that have none.
        "efa": _efa(facts) if efa and group.efa is None else None,
        "chips": None if facts.accelerators is None else facts.accelerators.model,
        "efa_interfaces": _count(facts.efa_interfaces, "EFA interface") if efa and facts.has_efa else None,
    }
    return {trait: words for trait, words in traits.items() if words is not None}


def _efa(facts: InstanceType) -> str | None:
    return None if facts.has_efa is None else "EFA" if facts.has_efa else "no EFA"


def _count(number: int | None, what: str) -> str | None:
    return None if number is None else count_text(number, what)


RULE = Rule(
    severity="error",
    title="Instance types that differ",
    rationale=(
        "Slurm is told one size of node for all instance types in the list. ParallelCluster refuses lists that differ "
        "in vCPUs (or cores, without multithreading), in accelerators or in whether they have EFA; of network cards "
        "every node gets the fewest, and a job cannot tell which model of GPU it runs on."
    ),
    remedy="list types that are alike, and give the others compute resources of their own",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-multiple-instance-allocation-v3.html",
    bad="""\
queues:
  - name: compute-gpu
    instance_types: [g5.12xlarge, g5.24xlarge]
    nodes: {min: 0, max: 8}
""",
    good="""\
queues:
  - name: compute-gpu
    compute_resources:
      - {instance_type: g5.12xlarge, nodes: {min: 0, max: 8}}
      - {instance_type: g5.24xlarge, nodes: {min: 0, max: 8}}
""",
    check=check,
)
