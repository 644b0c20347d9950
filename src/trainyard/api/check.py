"""Checking specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.foreign.any_file import check_any_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trainyard.checking.spec_file import Checked
    from trainyard.finding import Finding
    from trainyard.spec.parsing import ParsedSpec


def check_files(
    files: Iterable[str], *, with_parallelcluster: bool = False, report: Callable[[str], None] = lambda _: None
) -> Iterator[Checked]:
    """Yield what is wrong with each file, a spec or a file of another tool. ``report`` hears about long work.

    Where ParallelCluster is asked for and cannot be run, that is a finding.
    """

    def parallelcluster(parsed: ParsedSpec) -> Iterator[Finding]:
        # Imported here because a check without it should not wait for what only it needs.
        from trainyard.checking.with_parallelcluster import parallelcluster_findings

        return parallelcluster_findings(parsed, report)

    for file in files:
        yield check_any_file(file, (parallelcluster,) if with_parallelcluster else ())
