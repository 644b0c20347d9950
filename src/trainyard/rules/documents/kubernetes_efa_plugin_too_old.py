"""A device plugin of EFA that fails on the instance types that it runs on, by catalog/version_conflicts.json."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import VersionRange
from trainyard.catalog.version_conflicts import is_of_family, is_within, source_url, version_conflicts
from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.kubernetes.efa_plugin import efa_plugins
from trainyard.rules.kubernetes.nodes import named_types
from trainyard.rules.version_conflict import RULE as VERSION_CONFLICT


def check(document: Document) -> Iterator[Problem]:
    """Yield device plugins of EFA that fail on an instance type of the catalog's cases that they run on."""
    for container, tag in efa_plugins(document):
        names = sorted({named.name for named in named_types(container.pod)})
        for conflict in version_conflicts().values() if tag else ():
            bounds = conflict.components.get("efa-device-plugin")
            concerned = [name for name in names if is_of_family(name, conflict)]
            if bounds and tag and (concerned or not names) and is_within(VersionRange(tag, tag), bounds) == "yes":
                on = " and ".join(concerned) or f"nodes of {' and '.join(conflict.families)}, if there are any"
                message = f"EFA device plugin {tag} on {on}: {conflict.effect}"
                severity = conflict.severity if concerned else "info"
                yield Problem(
                    (*container.path, "image"), message, conflict.remedy, severity, source=source_url(conflict)
                )


RULE = VERSION_CONFLICT.in_documents(
    "kubernetes-efa-plugin-too-old",
    check,
    title="EFA device plugin that is too old for its nodes",
    remedy="use a later version of the plugin",
    source="https://github.com/aws/sagemaker-hyperpod-cli/pull/282",
    bad="""\
apiVersion: apps/v1
kind: DaemonSet
spec:
  template:
    spec:
      nodeSelector: {node.kubernetes.io/instance-type: p6-b200.48xlarge}
      containers: [{name: efa, image: "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.5.3"}]
""",
    good="""\
apiVersion: apps/v1
kind: DaemonSet
spec:
  template:
    spec:
      nodeSelector: {node.kubernetes.io/instance-type: p6-b200.48xlarge}
      containers: [{name: efa, image: "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.5.13"}]
""",
)
