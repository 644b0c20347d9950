"""Instance types in manifests of which EC2 has no such size."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find, names
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.kubernetes.nodes import named_types
from trainyard.rules.kubernetes.workload import is_placeholder, pods


def check(document: Document) -> Iterator[Problem]:
    """Yield types of a family that the catalog knows, in a size that it does not know."""
    for pod in pods(document):
        for path, name in named_types(pod):
            if is_placeholder(name) or find(name) is not None:
                continue
            family, dot, _ = name.partition(".")
            sizes = [known.partition(".")[2] for known in names() if known.startswith(f"{family}.")] if dot else []
            if sizes:
                message = f"no {name} is known: {family} comes as {', '.join(sizes)}"
                yield Problem(path, message)


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Instance type that is not known",
    rationale=(
        "Pods that want nodes of a type that nobody can start wait as Pending for ever, without an error. A size that "
        "EC2 got later than this release of trainyard is not known either."
    ),
    remedy="write a size that `trainyard instances` lists",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html",
    bad="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p5.24xlarge}
  containers: [{name: train, image: "registry.example.com/train:1.0"}]
""",
    good="""\
spec:
  nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
  containers: [{name: train, image: "registry.example.com/train:1.0"}]
""",
    check=check,
)
