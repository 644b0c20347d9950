"""A key of a configuration of ParallelCluster without a value."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path, path_text
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.parallelcluster.config import config_keys


def check(document: Document) -> Iterator[Problem]:
    """Yield keys, and members of lists, that have no value where one is needed."""
    for key in config_keys(document):
        if key.is_missing or key.shape is None or key.shape.get("null"):
            continue
        if key.value is None:
            yield Problem(key.path, _message(key.path))
        for index, member in enumerate(key.value if isinstance(key.value, tuple) else ()):
            if member is None:
                yield Problem((*key.path, index), _message((*key.path, index)))


def _message(path: Path) -> str:
    return f"{path_text(path[-2:] if isinstance(path[-1], int) else path[-1:])} is empty"


RULE = DocumentRule(
    severity="error",
    title="Empty value",
    rationale=(
        "A variable that is empty when a template is filled leaves a key, or the dash of a list, without a value. YAML "
        "reads that as null, and ParallelCluster refuses it: `Field may not be null`."
    ),
    remedy="write a value, or leave the whole key out; put variables of templates in quotes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  CustomActions: {OnNodeConfigured: {Script: "s3://my-bucket/setup.sh", Args: [first, null]}}
""",
    good="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  CustomActions: {OnNodeConfigured: {Script: "s3://my-bucket/setup.sh", Args: [first]}}
""",
    check=check,
)
