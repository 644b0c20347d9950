"""Whether a pod may stand on a node, and whether it fits: selectors, taints and resources, as the scheduler sees them.

https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

_KEEPS_AWAY = ("NoSchedule", "NoExecute")
_OPERATORS: dict[str, Callable[[str | None, Sequence[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": lambda value, values: value is not None and int(value) > int(values[0]),
    "Lt": lambda value, values: value is not None and int(value) < int(values[0]),
}
_FACTORS = {
    "": Fraction(1), "m": Fraction(1, 1000), "k": Fraction(1000), "M": Fraction(10**6), "G": Fraction(10**9),
    "T": Fraction(10**12), "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
}  # fmt: skip
_FORM = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")


def why_not(pod: Mapping[str, Any], node: Mapping[str, Any], free: Mapping[str, Fraction]) -> str | None:
    """Return why a pod cannot stand on a node, in the scheduler's words; None where it can."""
    if not is_selected(pod, node):
        return "node(s) didn't match Pod's node affinity/selector"
    if (taint := untolerated_taint(pod, node)) is not None:
        return f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"
    lacking = [name for name, amount in requests(pod).items() if amount > free.get(name, number(0))]
    return f"Insufficient {lacking[0]}" if lacking else None


def without_taints(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node as pods see it that are there already; taints with NoExecute, which end them, are not emulated."""
    return {**node, "spec": {**node["spec"], "taints": []}}


def is_selected(pod: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Return whether the pod's selector and its required affinity let it onto a node."""
    labels = node["metadata"]["labels"]
    selector = pod.get("nodeSelector") or {}
    affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")
    return all(labels.get(key) == value for key, value in selector.items()) and (
        terms is None or any(_matches(term, labels) for term in terms)
    )


def untolerated_taint(pod: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return a taint of a node that keeps the pod away."""
    tolerations = [*(pod.get("tolerations") or ()), *_of_resources(pod)]
    taints = (taint for taint in node["spec"].get("taints", ()) if taint["effect"] in _KEEPS_AWAY)
    return next((taint for taint in taints if not any(_tolerates(other, taint) for other in tolerations)), None)


def requests(pod: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return what a pod asks for. A limit without a request is one; of init containers the largest counts."""
    running = sum_of_resources(*(_of_container(container) for container in pod["containers"]), {"pods": 1})
    for init_container in pod.get("initContainers") or ():
        for name, quantity in sum_of_resources(_of_container(init_container)).items():
            running[name] = max(running.get(name, quantity), quantity)
    return running


def number(quantity: str | float) -> Fraction:
    """Return a quantity as a number: 250m of a processor, 512Mi of memory. Raises ValueError for what is none.

    https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    match = _FORM.fullmatch(str(quantity))
    if match is None:
        raise ValueError(f"{quantity!r} is no quantity")
    return Fraction(match[1]) * _FACTORS[match[2] or ""]


def sum_of_resources(*lists: dict[str, str | float]) -> dict[str, Fraction]:
    """Return the sums of lists of resources."""
    sums: dict[str, Fraction] = {}
    for resources in lists:
        for name, quantity in resources.items():
            sums[name] = sums.get(name, Fraction(0)) + number(quantity)
    return sums


def _of_container(container: Mapping[str, Any]) -> dict[str, Any]:
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _of_resources(pod: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    """Yield the tolerations that EKS gives pods which ask for a resource of the taint's name.

    The admission plugin ExtendedResourceToleration: https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html
    """
    for name in requests(pod):
        if "/" in name:
            yield {"key": name, "operator": "Exists"}


def _matches(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    expressions = term.get("matchExpressions") or ()
    return bool(expressions) and all(
        _OPERATORS[expression["operator"]](labels.get(expression["key"]), expression.get("values") or [])
        for expression in expressions
    )


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return (toleration.get("key"), toleration.get("value", "")) == (taint["key"], taint.get("value", ""))
