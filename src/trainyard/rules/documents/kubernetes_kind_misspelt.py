"""A kind of Kubernetes, or of what training adds to it, that only capital letters set apart from the right one."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short
from trainyard.finding import Fix
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.workload import TOGETHER, api_objects

# https://kubernetes.io/docs/reference/kubernetes-api/
_OF_KUBERNETES = (
    "ClusterRole", "ClusterRoleBinding", "ConfigMap", "CronJob", "CustomResourceDefinition", "DaemonSet", "Deployment",
    "Ingress", "Job", "Namespace", "NetworkPolicy", "PersistentVolume", "PersistentVolumeClaim", "Pod",
    "PodDisruptionBudget", "PriorityClass", "ReplicaSet", "ResourceQuota", "Role", "RoleBinding", "Secret", "Service",
    "ServiceAccount", "StatefulSet", "StorageClass",
)  # fmt: skip
_BY_LETTERS = {kind.lower(): kind for kind in (*_OF_KUBERNETES, *TOGETHER)}


def check(document: Document) -> Iterator[Problem]:
    """Yield kinds of other capital letters."""
    for written in api_objects(document):
        right = _BY_LETTERS.get(written.kind.lower())
        if right is not None and written.kind != right:
            path = (*written.path, "kind")
            yield Problem(path, f"there is no kind {short(written.kind)}; it is {right}", fix=Fix(path, right))


RULE = DocumentRule(
    severity="error",
    title="Kind with other capital letters",
    rationale=(
        "The names of kinds are told apart by capital letters. The API server answers that it knows no such kind, and "
        "makes nothing."
    ),
    remedy="write the kind as its operator does",
    source="https://kubernetes.io/docs/reference/using-api/api-concepts/",
    bad="""\
apiVersion: kubeflow.org/v1
kind: PytorchJob
metadata: {name: train}
""",
    good="""\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
""",
    check=check,
)
