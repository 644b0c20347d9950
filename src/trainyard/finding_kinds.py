"""Kinds of findings: what each means, where it applies and what to do; and the findings that are made of them.

A kind is a module of its own where it has a check (a rule, a preflight), or else an entry of a findings.yaml beside
whoever finds it. Both are loaded here, and every problem becomes a finding here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path as FilePath
from typing import NamedTuple, TypeVar

import yaml

from trainyard.document.node import Document
from trainyard.finding import Confidence, Finding, Fix, Path, Severity, path_text
from trainyard.keyword_record import KeywordRecord
from trainyard.platform_entry import Capability, Platform


class Problem(NamedTuple):
    """What a check noticed: where in the document, and what is wrong with the user's own values."""

    path: Path
    message: str
    remedy: str | None = None
    """What to do in this case, where the remedy of the kind is too general."""
    severity: Severity | None = None
    """Where this case weighs less or more than the kind usually does."""
    fix: Fix | None = None
    """What puts it right, where that is unambiguous."""
    source: str | None = None
    """Who says so of this case, where it is somebody else than of the kind."""


class FindingKind(KeywordRecord):
    """All that is to be said about an id."""

    id: str = ""
    """The name of its file, spelt with hyphens, or its key in findings.yaml; whoever loads it writes it here."""
    severity: Severity
    confidence: Confidence = "certain"
    title: str
    """What is noticed, as the heading of its documentation."""
    rationale: str
    """Why that is wrong, and what it costs."""
    remedy: str
    source: str
    """URL of the documentation, code or thread that says so."""
    fixed_by_removal: bool = False
    """Whether removing the key at a problem's path puts it right, where the problem has no remedy of its own."""
    applies_to: Capability | tuple[Capability, ...] | None = None
    """Facts of platforms, one of which has to be true of the spec's; None where it applies everywhere."""
    bad: str | None = None
    """Part of a document that has the problem, where there is an example."""
    good: str | None = None
    """The same, put right."""

    def applies_on(self, platform: Platform) -> bool:
        """Return whether it has to be looked for on a platform."""
        facts = (self.applies_to,) if isinstance(self.applies_to, str) else self.applies_to
        return facts is None or any(getattr(platform, fact) for fact in facts)

    def finding(
        self,
        message: str,
        remedy: str | None = None,
        *,
        severity: Severity | None = None,
        file: str | None = None,
        path: str | None = None,
    ) -> Finding:
        """Return a finding of this kind. What is not said here is as the kind has it."""
        sentence = self.remedy.removesuffix(".")
        general = sentence[0].lower() + sentence[1:]
        return Finding(self.id, severity or self.severity, message, remedy or general, self.source, file, path=path)

    def finding_at(self, problem: Problem, document: Document | None) -> Finding:
        """Return a problem as a finding, with its place in the document where there is one."""
        remedy = problem.remedy or self.remedy
        path = path_text(problem.path) or None
        finding = self.finding(problem.message, remedy, severity=problem.severity, path=path)
        fix = problem.fix
        if fix is None and self.fixed_by_removal and problem.remedy is None:
            fix = Fix(problem.path, remove=True)
        finding = finding._replace(fix=fix, source=problem.source or finding.source)
        if document is None:
            return finding
        place = document.place(problem.path)
        return finding._replace(file=document.file, line=place.line, column=place.column)


Kind = TypeVar("Kind", bound=FindingKind)


def kinds_in(folder: FilePath, package: str, constant: str, _kind: type[Kind]) -> tuple[Kind, ...]:
    """Return the kind that each module of a folder has as a constant, in the order of their ids."""
    names = sorted(file.stem for file in folder.iterdir() if file.suffix == ".py" and file.stem != "__init__")
    return tuple(
        getattr(import_module(f"{package}.{name}"), constant).with_values(id=name.replace("_", "-")) for name in names
    )


@cache
def kinds_beside(module: FilePath) -> Mapping[str, FindingKind]:
    """Return the kinds in the findings.yaml beside a module, by their ids."""
    text = module.with_name("findings.yaml").read_bytes()
    return {id_: FindingKind(id=id_, **facts) for id_, facts in yaml.load(text, Loader=yaml.CSafeLoader).items()}


def finding_of(  # noqa: PLR0913  what a finding has beyond its kind
    kinds: Mapping[str, FindingKind],
    id_: str,
    message: str,
    remedy: str | None = None,
    *,
    severity: Severity | None = None,
    file: str | None = None,
    path: str | None = None,
) -> Finding:
    """Return a finding of one of several kinds."""
    return kinds[id_].finding(message, remedy, severity=severity, file=file, path=path)
