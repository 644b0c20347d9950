"""Checking specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.any_file import check_any_file
from trainyard.checking.expired_facts import with_expired_facts
from trainyard.checking.spec_file import FileFindings
from trainyard.edge.file_tree import files_below, is_folder
from trainyard.platform_table import platform_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date

    from trainyard.finding import Finding
    from trainyard.spec.parsing import ParsedSpec


def check_files(
    files: Iterable[str],
    *,
    with_parallelcluster: bool = False,
    report: Callable[[str], None] = lambda _: None,
    today: date | None = None,
) -> Iterator[FileFindings]:
    """Yield what is wrong with each file, a spec or a file of another tool, and with each file below each folder.

    Of what is neither, the result says why it is not judged. ``report`` hears about long work.

    Where ParallelCluster is asked for and cannot be run, that is a finding. With a day, so is a verdict that rests on
    facts that are too old on that day.
    """

    def parallelcluster(parsed: ParsedSpec) -> Iterator[Finding]:
        return platform_of(parsed.spec).config_findings(parsed, report)

    outside = (parallelcluster,) if with_parallelcluster else ()
    for path in files:
        in_folder = is_folder(path)
        below = tuple(files_below(path)) if in_folder else (path,)
        if not below:
            yield FileFindings(path, None, (), not_judged="there is no file below it")
        for file in below:
            checked = check_any_file(file, outside, named=not in_folder)
            yield checked if today is None else with_expired_facts(checked, today)
