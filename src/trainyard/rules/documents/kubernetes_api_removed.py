"""Versions of Kubernetes' own API that no supported release of Kubernetes serves."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Severity
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.workload import api_objects

# Group and version to the last minor release that served the last of the kinds; groups with newer kinds name theirs.
# https://kubernetes.io/docs/reference/using-api/deprecation-guide/ (read 2026-11-23)
_REMOVED: dict[str, tuple[str, tuple[str, ...]]] = {
    "extensions/v1beta1": ("1.22", ()),
    "apps/v1beta1": ("1.16", ()),
    "apps/v1beta2": ("1.16", ()),
    "batch/v1beta1": ("1.25", ()),
    "policy/v1beta1": ("1.25", ()),
    "autoscaling/v2beta1": ("1.25", ()),
    "autoscaling/v2beta2": ("1.26", ()),
    "rbac.authorization.k8s.io/v1beta1": ("1.22", ()),
    "apiextensions.k8s.io/v1beta1": ("1.22", ()),
    "networking.k8s.io/v1beta1": ("1.22", ("Ingress", "IngressClass")),
    "admissionregistration.k8s.io/v1beta1": (
        "1.22",
        ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    ),
    "scheduling.k8s.io/v1beta1": ("1.22", ("PriorityClass",)),
}


def check(document: Document) -> Iterator[Problem]:
    """Yield objects of such versions."""
    for item in api_objects(document):
        version = str(item.written["apiVersion"])
        release, kinds = _REMOVED.get(version, ("", ()))
        if release and (not kinds or item.kind in kinds):
            message = f"{version} of {item.name} was removed in Kubernetes {release}"
            # Definitions come in several versions, of which an installer takes the one that its cluster has.
            severity: Severity | None = "warning" if item.kind == "CustomResourceDefinition" else None
            yield Problem((*item.path, "apiVersion"), message, severity=severity)


RULE = DocumentRule(
    severity="error",
    title="Version of the API that was removed",
    rationale=(
        "Kubernetes removes beta versions of its API. Every release that Amazon EKS supports refuses such an object "
        "with “no matches for kind”, and with it whatever was to be installed."
    ),
    remedy="write the version that replaced it, which the guide at the source names",
    source="https://kubernetes.io/docs/reference/using-api/deprecation-guide/",
    bad="""\
apiVersion: batch/v1beta1
kind: CronJob
""",
    good="""\
apiVersion: batch/v1
kind: CronJob
""",
    check=check,
)
