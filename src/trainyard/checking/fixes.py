"""Puts findings right that have a fix, one after another, each only where checking again agrees."""

from __future__ import annotations

from collections import Counter
from difflib import unified_diff
from typing import NamedTuple

from trainyard.checking.any_file import check_any_text
from trainyard.document.fix_text import with_fix, with_line
from trainyard.document.problems import MOST_FINDINGS
from trainyard.finding import Finding, Fix, path_text
from trainyard.rules import SCRIPTS

_HIDING = ("spec-unknown-key", "eksctl-unknown-key", "parallelcluster-unknown-key")
"""Findings behind which others are: the value below the right key is judged only then."""


class FixedText(NamedTuple):
    """The text of a file with fixes, and what they put right."""

    file: str
    before: str
    after: str
    fixed: tuple[Finding, ...]

    @property
    def diff(self) -> str:
        """Return what changes, as patch reads it."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        lines = unified_diff(before, after, self.file, self.file)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def fixed_text(text: str, file: str) -> FixedText:
    """Return the text with every fix that can be written and after which there is less wrong than before.

    A fix that leaves its finding there, or brings another error, is not made.
    """
    before = text
    fixed: list[Finding] = []
    tried: set[tuple[str, str]] = set()
    checked = check_any_text(text, file)
    findings = checked.findings
    while len(tried) < MOST_FINDINGS and (finding := _next(findings, tried)) is not None:
        tried.add(_identity(finding))
        changed = finding.fix and _with_fix(text, finding.fix, finding.line or 1, is_script=checked.foreign in SCRIPTS)
        if changed is None:
            continue
        after = check_any_text(changed, file).findings
        if _is_better(findings, after, finding):
            text, findings = changed, after
            fixed.append(finding)
    return FixedText(file, before, text, tuple(fixed))


def _with_fix(text: str, fix: Fix, line: int, *, is_script: bool) -> str | None:
    return with_line(text, fix) if is_script else with_fix(text, fix, line)


def _next(findings: tuple[Finding, ...], tried: set[tuple[str, str]]) -> Finding | None:
    return next((finding for finding in findings if finding.fix and _identity(finding) not in tried), None)


def _identity(finding: Finding) -> tuple[str, str]:
    return finding.id, path_text(finding.fix.path if finding.fix else ())


def _is_better(before: tuple[Finding, ...], after: tuple[Finding, ...], finding: Finding) -> bool:
    """Return whether the finding is gone and no error came, but for what could not be seen behind the finding."""
    was, is_ = (Counter(each.id for each in findings) for findings in (before, after))
    new_errors = {each.id for each in after if each.severity == "error" and is_[each.id] > was[each.id]}
    if finding.id in _HIDING:  # what cannot be read has not been judged yet; what was read is to be read again
        new_errors = {id_ for id_ in new_errors if id_.startswith("yaml-")}
    return is_[finding.id] < was[finding.id] and not new_errors
