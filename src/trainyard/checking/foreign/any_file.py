"""Checks one file, whosever it is: a spec by the rules about specs, a file of another tool by those about its kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from trainyard.checking.foreign.kind import FUNCTIONS, document_kind
from trainyard.checking.spec_file import Checked, OutsideValidator, check_text, unread, worst_first
from trainyard.checking.suppression import judged
from trainyard.document.node import Document
from trainyard.document.problems import MOST_FINDINGS
from trainyard.document.read import read_yaml
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError
from trainyard.finding import Finding
from trainyard.rules.documents import DocumentKind, all_document_rules


def check_any_file(file: str, outside: tuple[OutsideValidator, ...] = ()) -> Checked:
    """Return everything that is wrong with a file, worst first. Load errors are findings too."""
    try:
        text = read_text(file)
    except FindingsError as error:
        return unread(file, error)
    checked = check_text(text, file, outside)
    # Templates of CloudFormation have tags, which a spec has not.
    if all(finding.id not in ("spec-foreign", "yaml-foreign-tag") for finding in checked.findings):
        return checked
    return _foreign(text, file) or checked


def _foreign(text: str, file: str) -> Checked | None:
    """Return what the rules about a file of another tool say; None where there are none for it."""
    try:
        document = read_yaml(text, file, FUNCTIONS)
    except FindingsError:
        return None
    kind = document_kind(document.value)
    if kind is None:
        return None
    findings, suppressed = judged(text, file, document_findings(document, kind))
    return Checked(file, None, worst_first(findings), kind, suppressed)


def document_findings(document: Document, kind: DocumentKind) -> Iterator[Finding]:
    """Yield what the rules about documents of a kind object to, with the place of each; of one rule not without end."""
    for rule in all_document_rules():
        if rule.kind == kind:
            problems = islice(rule.check(document), MOST_FINDINGS)
            yield from (rule.finding_at(problem, document) for problem in problems)
