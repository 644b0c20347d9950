"""Rules about files of other tools. One file a rule, found by looking into this folder.

A rule takes the document as it was written and yields paths in it; it never sees the file, and never asks AWS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Literal

from trainyard.document.node import Document
from trainyard.finding_kinds import FindingKind, Problem, kinds_in

DocumentKind = Literal["eksctl", "cloudformation"]
"""Whose file a document is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRule(FindingKind):
    """A rule about documents: a kind of findings, with what looks for it."""

    kind: DocumentKind
    """The documents that it is about."""
    bad: str
    """Part of a document that the rule objects to."""
    good: str
    """The same, put right."""
    check: Callable[[Document], Iterator[Problem]]


@cache
def all_document_rules() -> tuple[DocumentRule, ...]:
    """Return every rule about documents, in the order of their ids."""
    return kinds_in(FilePath(__file__).parent, __name__, "RULE", DocumentRule)
