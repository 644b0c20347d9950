"""Checking specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.expired_facts import with_expired_facts
from trainyard.checking.foreign_file import check_any_file
from trainyard.platform_table import platform_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date

    from trainyard.checking.spec_file import FileFindings
    from trainyard.finding import Finding
    from trainyard.spec.parsing import ParsedSpec


def check_files(
    files: Iterable[str],
    *,
    with_parallelcluster: bool = False,
    report: Callable[[str], None] = lambda _: None,
    today: date | None = None,
) -> Iterator[FileFindings]:
    """Yield what is wrong with each file, a spec or a file of another tool. ``report`` hears about long work.

    Where ParallelCluster is asked for and cannot be run, that is a finding. With a day, so is a verdict that rests on
    facts that are too old on that day.
    """

    def parallelcluster(parsed: ParsedSpec) -> Iterator[Finding]:
        return platform_of(parsed.spec).config_findings(parsed, report)

    for file in files:
        checked = check_any_file(file, (parallelcluster,) if with_parallelcluster else ())
        yield checked if today is None else with_expired_facts(checked, today)
