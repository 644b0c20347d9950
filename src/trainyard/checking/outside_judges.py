"""What other programs say of a file that they read, beside our own rules: cfn-lint, and the schemas of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.checking import load_errors
from trainyard.checking.kubernetes_schema import UnknownKindError, objections
from trainyard.document.node import Document
from trainyard.edge.cfn_lint import cfn_lint
from trainyard.finding import Finding, Severity, path_text
from trainyard.rules import DocumentKind

_SEVERITIES: Mapping[str, Severity] = {"Error": "error", "Warning": "warning", "Informational": "info"}


def cfn_lint_findings(kind: DocumentKind, document: Document, text: str) -> Iterator[Finding]:
    """Yield what cfn-lint says of a template. Raises TrainyardError where it cannot be run."""
    if kind != "cloudformation":
        return
    for match in cfn_lint(text):
        finding = load_errors()["cfn-lint"].finding(
            f"{match.rule}: {match.message}",
            severity=_SEVERITIES.get(match.level, "warning"),
            file=document.file,
            path=path_text(match.path) or None,
        )
        yield finding._replace(line=match.line, column=match.column, source=match.source or finding.source)


def kubernetes_findings(version: str, kind: DocumentKind, document: Document, _text: str) -> Iterator[Finding]:
    """Yield what the schema of a manifest's kind says of it. Raises TrainyardError where the schemas are missing."""
    if kind != "kubernetes" or not isinstance(document.value, Mapping):
        return
    try:
        for path, message, is_certain in objections(document.value, version):
            place = document.place(path)
            finding = load_errors()["kubernetes-schema"].finding(
                f"Kubernetes {version} refuses {path_text(path) or 'the manifest'}: {message}",
                None
                if is_certain
                else "write it, unless the operator does by a webhook, or knows more than its schema",
                severity=None if is_certain else "warning",
                file=document.file,
                path=path_text(path) or None,
            )
            yield finding._replace(line=place.line, column=place.column)
    except UnknownKindError as error:
        place = document.place(("kind",))
        finding = load_errors()["kubernetes-kind-not-judged"].finding(str(error), file=document.file, path="kind")
        yield finding._replace(line=place.line, column=place.column)
