"""Rules about files of other tools. One file a rule, found by looking into this folder.

A rule takes the document as it was written and yields paths in it; it never sees the file, and never asks AWS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path as FilePath
from typing import Literal, NamedTuple

from trainyard.document.node import Document
from trainyard.finding import Severity
from trainyard.rules import Problem

DocumentKind = Literal["eksctl", "cloudformation"]
"""Whose file a document is."""


class DocumentRule(NamedTuple):
    """A rule and all that is to be said about it. Its id is the name of its file, spelt with hyphens."""

    kind: DocumentKind
    """The documents that it is about."""
    severity: Severity
    title: str
    """What it notices, as the heading of its documentation."""
    rationale: str
    """Why that is wrong, and what it costs."""
    remedy: str
    source: str
    """URL of the documentation, code or thread that says so."""
    bad: str
    """Part of a document that the rule objects to. What a whole one needs besides is taken from ``EXAMPLE_REST``."""
    good: str
    """The same, put right."""
    check: Callable[[Document], Iterator[Problem]]


class NamedDocumentRule(NamedTuple):
    """A rule under its id."""

    id: str
    rule: DocumentRule


EXAMPLE_REST: dict[DocumentKind, dict[str, str]] = {
    "eksctl": {
        "apiVersion": "apiVersion: eksctl.io/v1alpha5",
        "kind": "kind: ClusterConfig",
        "metadata": 'metadata: {name: example, region: us-east-2, version: "1.35"}',
        "vpc": "vpc: {clusterEndpoints: {privateAccess: true}, publicAccessCIDRs: [203.0.113.7/32]}",
    },
    "cloudformation": {
        "AWSTemplateFormatVersion": 'AWSTemplateFormatVersion: "2010-09-09"',
    },
}


def example_document(kind: DocumentKind, part: str) -> str:
    """Return a whole document around a rule's example. The example keeps its line numbers."""
    written = {line.split(":")[0] for line in part.splitlines()}
    rest = (line for key, line in EXAMPLE_REST[kind].items() if key not in written)
    return "\n".join([part.rstrip(), *rest]) + "\n"


@cache
def all_document_rules() -> tuple[NamedDocumentRule, ...]:
    """Return every rule about documents, in the order of their ids."""
    names = sorted(file.stem for file in FilePath(__file__).parent.glob("*.py") if file.stem != "__init__")
    return tuple(NamedDocumentRule(name.replace("_", "-"), import_module(f"{__name__}.{name}").RULE) for name in names)
