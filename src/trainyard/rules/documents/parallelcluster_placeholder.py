"""Placeholders of a template that nobody has replaced yet."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.parallelcluster.placeholders import names_real_subnets, placeholders

_MOST_NAMED = 12


def check(document: Document) -> Iterator[Problem]:
    """Yield the placeholders of a template once, all together; each by itself where a file is filled otherwise."""
    places = list(placeholders(document))
    left = [(path, placeholder) for path, placeholder in places if _is_whole_value(document, path, placeholder)]
    if left and names_real_subnets(document):
        for path, placeholder in left:
            yield Problem(path, f"{short(placeholder)} was not replaced; the subnets are filled in")
    elif places:
        names = list(dict.fromkeys(short(placeholder) for _, placeholder in places))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        message = f"a template with placeholders: {', '.join(names[:_MOST_NAMED])}{more}; they are not taken for values"
        yield Problem(places[0][0], message, "check it again when they are replaced", severity="info")


def _is_whole_value(document: Document, path: Path, placeholder: str) -> bool:
    """Return whether nothing else stands there: what is part of an argument or a URL may be meant as it is."""
    return document.root.at(path).value == placeholder and path[0] != "Tags" and "Args" not in path


RULE = DocumentRule(
    severity="error",
    confidence="likely",
    title="Placeholder that was not replaced",
    rationale=(
        "ParallelCluster takes a placeholder for a value, and refuses most. In a template, where not even the subnets "
        "are filled in, placeholders are named once, and nothing is concluded from them."
    ),
    remedy="replace it by a value",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Ssh: {KeyName: "${KEY}"}
""",
    good="""\
HeadNode:
  InstanceType: m5.8xlarge
  Networking: {SubnetId: subnet-0123456789abcdef0}
  Ssh: {KeyName: ml-key}
""",
    check=check,
)
