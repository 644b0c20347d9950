"""What eksctl has to be told and is not, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import node_groups

# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
_VERSION = "eksctl.io/v1alpha5"


def check(document: Document) -> Iterator[Problem]:
    """Yield names and a region that are missing, and a version of the schema that eksctl does not know."""
    written = mapping_at(document)
    if (version := written.get("apiVersion")) != _VERSION:
        yield Problem(("apiVersion",), f"apiVersion is {version}, and eksctl reads {_VERSION}", f"write {_VERSION}")
    place = ("metadata",) if "metadata" in written else ("kind",)
    metadata = mapping_at(document, "metadata")
    for key in ("name", "region"):
        if metadata.get(key) in (None, ""):
            yield Problem(place, f"metadata has no {key}")
    for group in node_groups(document):
        if group.written.get("name") in (None, ""):
            yield Problem(group.path, f"{group.path[0]}[{group.path[1]}] has no name")


RULE = DocumentRule(
    severity="error",
    title="Key that eksctl wants and that is missing",
    rationale=(
        "With a file, eksctl takes the cluster's name and region from nowhere else, whatever the profile says, and "
        "stops before anything is made; so it does for a node group without a name and a version that it does not know."
    ),
    remedy="write it",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/ctl/cmdutils/configfile.go",
    bad="""\
metadata: {name: training, version: "1.36"}
vpc: {clusterEndpoints: {privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
    good="""\
metadata: {name: training, region: us-east-2, version: "1.36"}
vpc: {clusterEndpoints: {privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}
""",
    check=check,
)
