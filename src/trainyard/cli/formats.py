"""The forms in which ``check`` prints findings: for people, programs, code scanning and pull requests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import finding_text, json_text, print_json, print_plain, print_text, severity_counts, styled
from trainyard.foreign_text import one_line
from trainyard.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainyard.checking.spec_file import FileFindings
    from trainyard.finding import Finding


def print_findings(checked: Sequence[FileFindings]) -> None:
    """Print a line for each finding, and one for each file that has none."""
    for checked_file in checked:
        for finding in checked_file.findings:
            print_text(finding_text(finding))
        if not checked_file.findings and checked_file.not_judged is None:
            print_text(f"{checked_file.file}: {styled('ok', fg='green', bold=True)}")
    for checked_file in checked:
        if checked_file.not_judged is not None:
            print_text(f"{checked_file.file}: not judged: {checked_file.not_judged}")
    if suppressed := sum(len(checked_file.suppressed) for checked_file in checked):
        print_text(f"{suppressed} suppressed by comments")
    if known := sum(len(checked_file.known) for checked_file in checked):
        print_text(f"{known} known from the baseline")
    if any(checked_file.findings for checked_file in checked):
        print_text(f"{severity_counts(_findings(checked))}; `trainyard explain ID` says more about each")


def _print_json(checked: Sequence[FileFindings]) -> None:
    files = [
        {"file": checked_file.file, "kind": checked_file.kind, "not_judged": checked_file.not_judged}
        for checked_file in checked
    ]
    print_json({"findings": [finding.as_json() for finding in _findings(checked)], "files": files})


def _print_sarif(checked: Sequence[FileFindings]) -> None:
    # https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    findings = _findings(checked)
    driver = {
        "name": "trainyard",
        "version": __version__,
        "rules": [_sarif_rule(finding) for finding in {finding.id: finding for finding in findings}.values()],
    }
    results = [_sarif_result(finding) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    print_plain(json_text(log))


def _sarif_rule(finding: Finding) -> dict[str, Any]:
    source = {"helpUri": finding.source} if finding.source else {}
    return {"id": finding.id, **source}


def _sarif_result(finding: Finding) -> dict[str, Any]:
    from urllib.parse import quote  # text is printed more often

    # A URI reference, and file names are bytes that need not be UTF-8.
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(os.fsencode(finding.file or ""))}}
    if finding.line is not None:
        place["region"] = {"startLine": finding.line, "startColumn": finding.column or 1}
    return {
        "ruleId": finding.id,
        "level": "note" if finding.severity == "info" else finding.severity,
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": place}],
    }


def _print_github(checked: Sequence[FileFindings]) -> None:
    # https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    for finding in _findings(checked):
        level = "notice" if finding.severity == "info" else finding.severity
        place = {"file": finding.file, "line": finding.line, "col": finding.column, "title": finding.id}
        properties = ",".join(f"{key}={_github_property(value)}" for key, value in place.items() if value is not None)
        print_plain(one_line(f"::{level} {properties}::{_github_data(_message(finding))}"))


def _print_gitlab(checked: Sequence[FileFindings]) -> None:
    # https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    from collections import Counter  # text is printed more often
    from hashlib import sha256

    seen: Counter[tuple[str | None, ...]] = Counter()
    report = []
    for finding in _findings(checked):
        what = (finding.file, finding.id, finding.path, finding.message)  # which stays when lines move
        seen[what] += 1
        entry = {
            "description": _message(finding),
            "check_name": finding.id,
            "fingerprint": sha256(repr((*what, seen[what])).encode()).hexdigest(),
            "severity": {"error": "major", "warning": "minor", "info": "info"}[finding.severity],
            "location": {"path": os.path.normpath(finding.file or ""), "lines": {"begin": finding.line or 1}},
        }
        report.append(entry)
    print_plain(json_text(report))


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(value: object) -> str:
    return _github_data(str(value)).replace(":", "%3A").replace(",", "%2C")


def _message(finding: Finding) -> str:
    return f"{finding.message}; {finding.remedy}" if finding.remedy else finding.message


def _findings(checked: Sequence[FileFindings]) -> list[Finding]:
    return [finding for checked_file in checked for finding in checked_file.findings]


PRINTERS: dict[str, Callable[[Sequence[FileFindings]], None]] = {
    "text": print_findings,
    "json": _print_json,
    "sarif": _print_sarif,
    "github": _print_github,
    "gitlab": _print_gitlab,
}
