"""Versions of Slurm that AWS PCS does not have, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.version_conflicts import number_of
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import resources, values
from trainyard.rules.documents import mapping_in

# https://docs.aws.amazon.com/pcs/latest/APIReference/API_Scheduler.html (read 2026-11-23)
_VERSIONS = ("23.11", "24.05", "24.11", "25.05", "25.11")


def check(document: Document) -> Iterator[Problem]:
    """Yield versions that the API does not take; one that is newer than all of them may have come since."""
    for cluster in resources(document, "AWS::PCS::Cluster"):
        path = (*cluster.path, "Properties", "Scheduler", "Version")
        for place, version in values(document, mapping_in(cluster.properties, "Scheduler").get("Version"), path):
            written = str(version)
            if isinstance(version, str | float | int) and number_of(written) and written not in _VERSIONS:
                newer = number_of(written) > number_of(_VERSIONS[-1])
                message = f"{cluster.name} wants Slurm {written}, and AWS PCS has {', '.join(_VERSIONS)}"
                yield Problem(place, message, severity="warning" if newer else None)


RULE = DocumentRule(
    severity="error",
    title="Version of Slurm that AWS PCS does not have",
    rationale=(
        "AWS PCS takes the versions that its API names, each as year and month in quotes, and refuses any other when "
        "the cluster is to be made."
    ),
    remedy="write the newest of them, in quotes",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_Scheduler.html",
    bad="""\
Resources:
  Cluster: {Type: AWS::PCS::Cluster, Properties: {Size: SMALL, Scheduler: {Type: SLURM, Version: "23.02"}}}
""",
    good="""\
Resources:
  Cluster: {Type: AWS::PCS::Cluster, Properties: {Size: SMALL, Scheduler: {Type: SLURM, Version: "25.11"}}}
""",
    check=check,
)
