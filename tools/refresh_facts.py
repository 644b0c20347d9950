"""Asks the package registries what has changed since the last look, writes it down, and leaves a diff to review.

``make facts`` runs it. What a registry cannot tell is printed: the files whose facts are old, and their sources.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime

from add_parallelcluster import main as add_parallelcluster
from trainyard.api.facts import FactReport, PackageChange, fact_report
from trainyard.catalog.upstream_packages import PATH
from trainyard.edge.package_registry import PackageRegistries


def refreshed(text: str, changes: tuple[PackageChange, ...], read: str) -> str:
    """Return the text of upstream_packages.yaml with the newest versions and the day of the look."""
    for change in changes:
        seen = rf"(^  {re.escape(change.package)}:\n    {change.registry}:\n      seen: ){re.escape(change.seen)}$"
        text = re.sub(seen, rf"\g<1>{change.newest}", text, count=1, flags=re.MULTILINE)
    return re.sub(r'^    read: ".*"$', f'    read: "{read}"', text, flags=re.MULTILINE)


def _print_work(report: FactReport) -> None:
    for change in report.changes or ():
        print(f"{change.package} {change.newest}, was {change.seen}: look at {change.about}")
    for age in report.expired:
        print(f"{age.file} was compared with its sources on {age.looked}: compare it again, and write the day there")
    print("what was written is a diff to review: git diff")


def main() -> int:
    """Write what has changed. Raises TrainyardError where a registry does not answer."""
    today = datetime.now(UTC).date()
    report = fact_report(today, registries=PackageRegistries())
    changes = report.changes or ()
    PATH.write_text(refreshed(PATH.read_text(encoding="utf-8"), changes, str(today)), encoding="utf-8")
    for change in changes:
        if change.package == "aws-parallelcluster":
            add_parallelcluster(change.newest)
    _print_work(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
