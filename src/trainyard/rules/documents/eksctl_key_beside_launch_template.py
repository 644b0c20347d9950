"""Keys of a managed node group that its launch template speaks for, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import node_groups

# ValidateManagedNodeGroup of the source below.
_REFUSED = (
    "instanceType", "ami", "volumeSize", "instanceName", "instancePrefix", "maxPodsPerNode", "disableIMDSv1",
    "disablePodIMDS", "preBootstrapCommands", "overrideBootstrapCommand", "placement",
)  # fmt: skip


def check(document: Document) -> Iterator[Problem]:
    """Yield keys beside launchTemplate that eksctl refuses there. What is false or empty counts as left out."""
    for group in node_groups(document):
        if not group.managed or not mapping_in(group.written, "launchTemplate"):
            continue
        written: list[tuple[str, ...]] = [(key,) for key in _REFUSED if group.written.get(key)]
        if mapping_in(group.written, "ssh").get("allow") is True:
            written.append(("ssh", "allow"))
        for keys in written:
            message = f"node group {group.name!r} has a launchTemplate, beside which eksctl takes no {'.'.join(keys)}"
            yield Problem((*group.path, *keys), message)


RULE = DocumentRule(
    severity="error",
    title="Key beside a launch template",
    rationale=(
        "With a launch template of your own eksctl makes none, and has no place to put what belongs into one: it "
        "refuses the node group rather than drop the key."
    ),
    remedy="put it into the launch template, and remove the key",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: gpu, launchTemplate: {id: lt-0123456789abcdef0}, instanceType: g5.8xlarge}
""",
    good="""\
managedNodeGroups:
  - {name: gpu, launchTemplate: {id: lt-0123456789abcdef0}}
""",
    check=check,
)
