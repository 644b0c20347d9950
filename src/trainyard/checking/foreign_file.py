"""Checks a file of another tool by the rules about its kind, or says why it is not judged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice, product

from trainyard.checking import load_errors
from trainyard.checking.config_rules import config_findings
from trainyard.checking.recognition import Recognition, recognise
from trainyard.checking.spec_file import FileFindings, OutsideReader, outside_findings, split_suppressed, with_source
from trainyard.checking.subjects import holds_subject, named_kind
from trainyard.document.node import Document, Place
from trainyard.document.problems import MOST_FINDINGS
from trainyard.finding import Finding
from trainyard.rules import SCRIPTS, DocumentKind, DocumentRule, all_document_rules
from trainyard.rules.scripts.embedded_script import embedded_scripts


def check_foreign(
    text: str, file: str, readers: tuple[OutsideReader, ...] = (), *, named: bool = True
) -> FileFindings | None:
    """Return what is wrong with a file of another tool, or why it is not judged; None where it is taken for a spec.

    ``named`` says that a user named this file, and may have meant a spec by what can hardly be read.
    """
    recognition = recognise(text, file)
    if recognition.kind is not None:
        return _judged(text, file, recognition, recognition.kind, readers)
    if recognition.reason is None or (named and recognition.may_be_spec):
        return None
    return FileFindings(file, None, (), not_judged=recognition.reason)


def _judged(
    text: str, file: str, recognition: Recognition, kind: DocumentKind, readers: tuple[OutsideReader, ...]
) -> FileFindings:
    if recognition.problems:
        return FileFindings(file, None, tuple(map(with_source, recognition.problems)), foreign=kind)
    judged = [(kind, document) for kind, document in recognition.documents if rules_about(kind)]
    if not judged:
        return FileFindings(file, None, (), not_judged=f"there are no rules about {named_kind([kind])}")
    findings = [finding for kind, document in judged for finding in document_findings(document, kind, text)]
    if not findings and not any(holds_subject(kind, document) for kind, document in judged):
        message = (
            f"nothing here for trainyard: {named_kind(kind for kind, _ in judged)}, without what the rules are about"
        )
        findings.append(load_errors()["nothing-to-judge"].finding(message, file=file))
    for reader, (kind_, document) in product(readers, judged):
        said = {finding.path for finding in findings if finding.severity == "error"}
        answers = outside_findings(file, partial(reader, kind_, document, text))
        findings.extend(finding for finding in answers if finding.path is None or finding.path not in said)
    return FileFindings(file, None, *split_suppressed(text, file, findings, is_script=kind in SCRIPTS), kind)


@cache
def rules_about(kind: DocumentKind) -> tuple[DocumentRule, ...]:
    """Return the rules about documents of a kind."""
    return tuple(rule for rule in all_document_rules() if kind in rule.kinds)


def document_findings(document: Document, kind: DocumentKind, text: str = "") -> Iterator[Finding]:
    """Yield what the rules about documents of a kind object to, with the place of each; of one rule not without end.

    With the text that the document was read from, the places within scripts are exact.
    """
    yield from config_findings(document, kind)
    for rule in rules_about(kind):
        for problem in islice(rule.check(document), MOST_FINDINGS):
            finding = rule.finding_at(problem, document)
            # Users of Terraform know a resource by its address.
            yield finding._replace(path=str(problem.path[1])) if kind == "terraform" else finding
    yield from _findings_in_scripts(document, kind, text.splitlines())


def _findings_in_scripts(document: Document, kind: DocumentKind, lines: list[str]) -> Iterator[Finding]:
    """Yield the first place in each script within a document that a rule about scripts objects to."""
    for embedded in embedded_scripts(document, kind):
        for rule in rules_about("shell"):
            problem = next(iter(rule.check(embedded.script)), None)
            if problem is not None:
                finding = rule.finding_at(problem._replace(path=embedded.path, fix=None), document)
                place = _place_of(embedded.script.value[problem.path[0]].strip(), lines, document.place(embedded.path))
                yield finding._replace(line=place.line, column=place.column)


def _place_of(command: str, lines: list[str], first: Place) -> Place:
    """Return where a line of a script stands at or below a place; that place where it is written in another way."""
    below = enumerate(lines[first.line - 1 :], first.line)
    return next((Place(number, line.index(command) + 1) for number, line in below if command in line), first)
