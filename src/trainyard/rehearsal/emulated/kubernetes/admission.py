"""What the API server refuses of what is applied, before it holds it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.kinds import Kind
from trainyard.rehearsal.emulated.kubernetes.objects import Objects

# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LABEL = re.compile(r"([a-zA-Z0-9]([a-zA-Z0-9._-]{0,61}[a-zA-Z0-9])?)?")
_DATA_BYTES = 2**20  # https://kubernetes.io/docs/concepts/configuration/configmap/
_TEMPLATED = ("daemonsets", "deployments", "statefulsets")


def wrong_with(objects: Objects, kind: Kind, document: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an object of a known kind; nothing where it can be held."""
    return list(_wrong(kind, document)) + _fixed(objects, kind, document)


def _wrong(kind: Kind, document: Mapping[str, Any]) -> Iterator[str]:
    name = str(document["metadata"]["name"])
    # Names of roles may have a colon. https://kubernetes.io/docs/reference/access-authn-authz/rbac/
    if not kind.group.startswith("rbac") and _SUBDOMAIN.fullmatch(name) is None:
        yield f'metadata.name: Invalid value: "{name}": a lowercase RFC 1123 subdomain is wanted'
    for key, value in (document["metadata"].get("labels") or {}).items():
        if not isinstance(value, str) or _LABEL.fullmatch(value) is None:
            yield f"metadata.labels: Invalid value: {value!r} of {key}"
    if kind.plural in ("configmaps", "secrets") and len(json.dumps(document)) > _DATA_BYTES * 4 // 3:
        yield f"[]: Too long: may not be more than {_DATA_BYTES} bytes"
    if kind.plural in _TEMPLATED:
        wanted = document["spec"]["selector"].get("matchLabels") or {}
        labels = document["spec"]["template"]["metadata"].get("labels") or {}
        if not wanted.items() <= labels.items():
            yield f"spec.template.metadata.labels: Invalid value: {labels}: `selector` does not match template `labels`"


def _fixed(objects: Objects, kind: Kind, document: Mapping[str, Any]) -> list[str]:
    """Return what cannot be changed of what is there: the selector of a workload, the role of a binding."""
    metadata = document["metadata"]
    namespace = metadata.get("namespace", "default") if kind.namespaced else ""
    former = objects.get(kind.resource, namespace, metadata["name"])
    if former is None:
        return []
    if kind.plural in _TEMPLATED and former["spec"]["selector"] != document["spec"]["selector"]:
        return ["spec.selector: Invalid value: field is immutable"]
    if kind.plural in ("rolebindings", "clusterrolebindings") and former["roleRef"] != document["roleRef"]:
        return ["roleRef: Invalid value: cannot change roleRef"]
    return []
