"""Rules: what a spec or a file of another tool can say that is valid and yet wrong. One file a rule, found by folder.

A rule about specs takes a spec, one about files of other tools the document as it was written; both yield paths in it.
They never see the file or its lines, and never ask AWS. Where both judge the same fact they are in one file, here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path as FilePath
from typing import Literal, get_args

from trainyard.document.node import Document
from trainyard.finding_kinds import FindingKind, Problem, kinds_in
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

__all__ = ["DocumentKind", "DocumentRule", "Problem", "Rule", "all_document_rules", "all_rules"]

DocumentKind = Literal[
    "cloudformation",
    "dockerfile",
    "eksctl",
    "hyperpod",
    "kubernetes",
    "parallelcluster",
    "sbatch",
    "shell",
    "terraform",
]
"""Whose file a document is."""
SCRIPTS: tuple[DocumentKind, ...] = ("shell", "sbatch", "dockerfile")
"""Those of which no YAML can be read."""
# What the id of a document rule begins with, and the kinds that it is about.
_KINDS: dict[str, tuple[DocumentKind, ...]] = {kind: (kind,) for kind in get_args(DocumentKind)}
_KINDS["cloudformation"] = ("cloudformation", "terraform")
_KINDS["hyperpod"] = ("hyperpod", "cloudformation")
_KINDS["script"] = SCRIPTS
_FOLDER = FilePath(__file__).parent
# What a document rule has in common with the rule about specs that judges the same, unless it says otherwise.
_SHARED = ("severity", "confidence", "title", "rationale", "remedy", "source")


class DocumentRule(FindingKind):
    """A rule about files of the tool that its id begins with: a kind of findings, with what looks for it."""

    bad: str
    """Part of a document that the rule objects to."""
    good: str
    """The same, put right."""
    check: Callable[[Document], Iterator[Problem]]

    @property
    def kinds(self) -> tuple[DocumentKind, ...]:
        """Return the kinds of documents that it is about; its examples are of the first."""
        return _KINDS[self.id.partition("-")[0]]


class Rule(FindingKind):
    """A rule: a kind of findings about specs, with what looks for it."""

    bad: str
    """Part of a spec that the rule objects to."""
    good: str
    """The same, put right."""
    check: Callable[[Spec], Iterator[Problem]]

    def problems(self, spec: Spec) -> Iterator[Problem]:
        """Yield what the rule objects to; nothing where it does not apply to the platform."""
        if self.applies_on(platform_of(spec)):
            yield from self.check(spec)

    def in_documents(self, id_: str, check: Callable[[Document], Iterator[Problem]], **own: str) -> DocumentRule:
        """Return the same rule about files of another tool, with examples of its own and whatever else differs."""
        shared = {field: getattr(self, field) for field in _SHARED}
        return DocumentRule(id=id_, check=check, **{**shared, **own})


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule about specs, in the order of their ids."""
    return kinds_in(_FOLDER, __name__, "RULE", Rule)


@cache
def all_document_rules() -> tuple[DocumentRule, ...]:
    """Return every rule about files of other tools, in the order of their ids."""
    own = kinds_in(_FOLDER / "documents", f"{__name__}.documents", "RULE", DocumentRule)
    modules = [import_module(f"{__name__}.{rule.id.replace('-', '_')}") for rule in all_rules()]
    twins = [rule for module in modules for rule in vars(module).values() if isinstance(rule, DocumentRule)]
    of_scripts = import_module(f"{__name__}.scripts.line_rules").line_rules()
    return tuple(sorted((*own, *twins, *of_scripts), key=lambda rule: rule.id))
