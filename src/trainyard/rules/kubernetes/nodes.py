"""The nodes that pods may run on, as far as a manifest names their instance types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.finding import Path
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.workload import Pod

# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html
GPU, EFA, NEURON = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "aws.amazon.com/neuron"
# https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesioinstance-type
LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class NamedType(NamedTuple):
    """An instance type that pods may run on, and where it is written."""

    path: Path
    name: str
    """Without the prefix of SageMaker HyperPod."""


def named_types(pod: Pod) -> tuple[NamedType, ...]:
    """Return the instance types of a node selector or of a required affinity; empty where none are named."""
    selector = mapping_in(pod.written, "nodeSelector")
    written = [((*pod.path, "nodeSelector", label), selector[label]) for label in LABELS if label in selector]
    return tuple(
        NamedType(path, name.removeprefix("ml."))
        for path, name in written or _of_affinity(pod)
        if isinstance(name, str)
    )


def known_types(pod: Pod) -> tuple[InstanceType, ...]:
    """Return what the catalog knows of the named types; empty where it does not know each of them."""
    facts = [find(named.name) for named in named_types(pod)]
    known = tuple(one for one in facts if one is not None)
    return known if len(known) == len(facts) else ()


def in_words(types: tuple[InstanceType, ...]) -> str:
    """Return the names of types in a sentence."""
    names = sorted({facts.name for facts in types})
    return " and ".join(names) if len(names) < 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


def _of_affinity(pod: Pod) -> Iterator[tuple[Path, Any]]:
    keys = ("affinity", "nodeAffinity", _REQUIRED)
    required = mapping_in(mapping_in(mapping_in(pod.written, keys[0]), keys[1]), keys[2])
    path = (*pod.path, *keys, "nodeSelectorTerms")
    for at, term in _mappings(required.get("nodeSelectorTerms"), path):
        for place, expression in _mappings(term.get("matchExpressions"), (*at, "matchExpressions")):
            values = expression.get("values")
            if expression.get("key") in LABELS and expression.get("operator") == "In" and isinstance(values, tuple):
                yield from (((*place, "values", index), name) for index, name in enumerate(values))


def _mappings(value: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for index, member in enumerate(value if isinstance(value, tuple) else ()):
        if isinstance(member, dict):
            yield (*path, index), member
