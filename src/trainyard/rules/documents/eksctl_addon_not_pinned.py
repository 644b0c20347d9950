"""Add-ons without a version, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at


def check(document: Document) -> Iterator[Problem]:
    """Yield add-ons that name no version, or latest."""
    addons = mapping_at(document).get("addons")
    for index, addon in enumerate(addons if isinstance(addons, tuple) else ()):
        if not isinstance(addon, dict) or addon.get("version") not in (None, "", "latest", "default"):
            continue
        path = ("addons", index, "version") if "version" in addon else ("addons", index)
        written = f"version {addon['version']}" if addon.get("version") else "no version"
        yield Problem(path, f"add-on {str(addon.get('name', index))!r} has {written}")


RULE = DocumentRule(
    severity="info",
    confidence="possible",
    title="Add-on that is not pinned",
    rationale=(
        "Two clusters of the same file get different add-ons when they are made on different days, and what worked in "
        "the first need not work in the second."
    ),
    remedy="write the version that `aws eks describe-addon-versions` shows for this Kubernetes version",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/addons.html",
    bad="""\
addons:
  - name: aws-fsx-csi-driver
""",
    good="""\
addons:
  - name: aws-fsx-csi-driver
    version: v1.7.0-eksbuild.1
""",
    check=check,
)
