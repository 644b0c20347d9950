"""Amounts of devices and huge pages that Kubernetes refuses, in a manifest."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.kubernetes.workload import Container, containers, is_device, is_placeholder, whole_number

_HUGE_PAGES = "hugepages-"
_BESIDE_HUGE_PAGES = frozenset({"cpu", "memory"})


def check(document: Document) -> Iterator[Problem]:
    """Yield requests without a limit, requests unlike their limit, parts of a device, and huge pages on their own."""
    for container in containers(document):
        limits, requests = mapping_in(container.resources, "limits"), mapping_in(container.resources, "requests")
        for resource in dict.fromkeys((*limits, *requests)):
            if is_device(resource):
                yield from _of_device(container, resource)
        pages = next((key for key in (*limits, *requests) if key.startswith(_HUGE_PAGES)), None)
        if (
            pages is not None
            and not _BESIDE_HUGE_PAGES & {*limits, *requests}
            and container.pod.owner.kind != "TrainJob"
        ):
            message = f"{container.pod.owner.name} asks for {pages}, and neither for memory nor for cpu"
            yield Problem((*container.path, container.resources_key), message, "ask for memory beside huge pages")


def _of_device(container: Container, resource: str) -> Iterator[Problem]:
    path, owner = (*container.path, container.resources_key), container.pod.owner
    limits, requests = mapping_in(container.resources, "limits"), mapping_in(container.resources, "requests")
    for key, amounts in (("limits", limits), ("requests", requests)):
        if resource in amounts and _is_part(amounts[resource]):
            message = f"{owner.name} asks for {amounts[resource]} of {resource}, which is not a whole number"
            yield Problem((*path, key, resource), message, "ask for whole devices")
            return
    # What a TrainJob leaves out may come from its runtime.
    if resource not in limits and owner.kind != "TrainJob" and not _is_open(requests[resource]):
        message = f"{owner.name} requests {requests[resource]} of {resource}, and has no limit of it"
        yield Problem((*path, "requests", resource), message, f"write {resource} below limits, with the same number")
    least, most = whole_number(requests.get(resource)), whole_number(limits.get(resource))
    if least is not None and most is not None and least != most:
        message = f"{owner.name} requests {least} of {resource}, and its limit is {most}"
        yield Problem((*path, "requests", resource), message)


def _is_part(amount: object) -> bool:
    return isinstance(amount, float) and not amount.is_integer()


def _is_open(amount: object) -> bool:
    return isinstance(amount, str) and is_placeholder(amount)


RULE = DocumentRule(
    severity="error",
    title="Amounts that Kubernetes refuses",
    rationale=(
        "Kubernetes hands out devices whole and does not promise one twice: a request needs a limit that is the same, "
        "and huge pages need memory or cpu beside them. Anything else is refused, by the API for a pod, and later, "
        "without pods to show for it, for a job."
    ),
    remedy="write the same number below limits and requests, or limits alone",
    source="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources",
    bad="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {requests: {nvidia.com/gpu: 1}}
""",
    good="""\
spec:
  containers:
    - name: train
      image: registry.example.com/train:1.0
      resources: {limits: {nvidia.com/gpu: 1}}
""",
    check=check,
)
