"""What is wrong with a spec whose dashboards or alerts were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.cli.output import finding_text, print_text, severity_counts

if TYPE_CHECKING:
    from trainyard.checking.spec_file import FileFindings


def print_findings(checked: FileFindings | None, *, empty: str | None) -> None:
    """Print the findings, and ``empty``, which says why there is nothing where the spec is fine."""
    if checked is None:
        return
    for finding in checked.findings:
        print_text(finding_text(finding), err=True)
    if checked.has_errors:
        print_text(f"nothing was written: {severity_counts(checked.findings)}", err=True)
    elif empty is not None:
        print_text(empty, err=True)
