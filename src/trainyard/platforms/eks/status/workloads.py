"""What runs in a cluster for the cluster itself: device plugins, operators, drivers of volumes, agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.edge.kubernetes.documents import Document, number, part, text
from trainyard.platforms.eks.status.eks_status import Workload

_DATA = Path(__file__).with_name("workloads.yaml")


def workloads(documents: Iterable[Document]) -> tuple[Workload, ...]:
    """Return those DaemonSets and Deployments that the cluster needs, in the order of workloads.yaml."""
    order = list(_content()["roles"])
    all_workloads = [workload for document in documents if (workload := _workload(document)) is not None]
    return tuple(
        sorted(
            all_workloads,
            key=lambda workload: (
                order.index(workload.role) if workload.role else len(order),
                workload.namespace,
                workload.name,
            ),
        )
    )


def offered_by(resource: str) -> str | None:
    """Return the role of what offers a resource of nodes."""
    offers: Mapping[str, str] = _content()["offers"]
    return offers.get(resource)


def _workload(document: Document) -> Workload | None:
    kind, namespace, name = text(document, "kind"), text(document, "metadata", "namespace"), _name(document)
    role = next(
        (role for role, globs in _content()["roles"].items() if any(fnmatchcase(name, glob) for glob in globs)), ""
    )
    if not role and namespace not in _content()["namespaces"]:
        return None
    if kind == "DaemonSet":
        counts = number(document, "status", "numberReady"), number(document, "status", "desiredNumberScheduled")
    else:
        desired = number(document, "spec", "replicas") if "replicas" in part(document, "spec") else 1
        counts = number(document, "status", "readyReplicas"), desired
    return Workload(role, kind, namespace, name, *counts)


def _name(document: Document) -> str:
    return text(document, "metadata", "name")


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(_DATA.read_bytes(), Loader=yaml.CSafeLoader)
    return content
