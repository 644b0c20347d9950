"""Checking specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.any_file import check_any_file
from trainyard.checking.expired_facts import with_expired_facts
from trainyard.checking.spec_file import FileFindings, OutsideReader, OutsideValidator
from trainyard.edge.file_tree import files_below, is_folder
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError
from trainyard.platform_parts import FormerFile
from trainyard.platform_table import all_entries, platform_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date

    from trainyard.checking.fixes import FixedText
    from trainyard.document.node import Document
    from trainyard.finding import Finding
    from trainyard.rules import DocumentKind
    from trainyard.spec.parsing import ParsedSpec


def check_files(  # noqa: PLR0913  whoever may be asked
    files: Iterable[str],
    *,
    with_parallelcluster: bool = False,
    parallelcluster_version: str | None = None,
    with_cfn_lint: bool = False,
    kubernetes_version: str | None = None,
    report: Callable[[str], None] = lambda _: None,
    today: date | None = None,
    update_from: str | None = None,
) -> Iterator[FileFindings]:
    """Yield what is wrong with each file, a spec or a file of another tool, and with each file below each folder.

    Of what is neither, the result says why it is not judged. ``report`` hears about long work.

    ParallelCluster judges specs by the version that they name, and its own configurations by the newest locked one,
    unless one is given. cfn-lint judges templates of CloudFormation, and the schemas of a version of Kubernetes its
    manifests. Where one is asked for and cannot be run, that is a finding. With a day, so is a verdict that rests on
    facts that are too old on that day; with the file that a cluster was made of, so is what no update changes.
    """

    def parallelcluster(parsed: ParsedSpec) -> Iterator[Finding]:
        return platform_of(parsed.spec).config_findings(parsed, parallelcluster_version, report)

    def reader(kind: DocumentKind, document: Document, text: str) -> Iterator[Finding]:
        for entry in all_entries():
            if entry.made_by == kind and entry.file_findings is not None:
                yield from entry.file_findings(document, text, parallelcluster_version, report)

    outside: tuple[OutsideValidator, ...] = (parallelcluster,) if with_parallelcluster else ()
    readers = (*((reader,) if with_parallelcluster else ()), *_judges(with_cfn_lint, kubernetes_version))
    if update_from is not None:
        former = _former(update_from)
        outside += (_spec_updates(former, parallelcluster_version, report),)
        readers += (_file_updates(former, parallelcluster_version, report),)
    for path in files:
        in_folder = is_folder(path)
        below = tuple(files_below(path)) if in_folder else (path,)
        if not below:
            yield FileFindings(path, None, (), not_judged="there is no file below it")
        for file in below:
            checked = check_any_file(file, outside, readers, named=not in_folder)
            yield checked if today is None else with_expired_facts(checked, today)


def _former(file: str) -> FormerFile:
    """Return the file that a cluster was made of. Raises FindingsError where no reader could take it, as of a bomb."""
    from trainyard.document.read import read_yaml_stream

    text = read_text(file)
    read_yaml_stream(text, file, {})
    return FormerFile(file, text)


def _spec_updates(former: FormerFile, version: str | None, report: Callable[[str], None]) -> OutsideValidator:
    def validator(parsed: ParsedSpec) -> Iterator[Finding]:
        findings = platform_of(parsed.spec).config_update_findings
        return iter(()) if findings is None else findings(former, parsed, version, report)

    return validator


def _file_updates(former: FormerFile, version: str | None, report: Callable[[str], None]) -> OutsideReader:
    def reader(kind: DocumentKind, document: Document, text: str) -> Iterator[Finding]:
        for entry in all_entries():
            if entry.made_by == kind and entry.file_update_findings is not None:
                yield from entry.file_update_findings(former, document, text, version, report)

    return reader


def _judges(with_cfn_lint: bool, kubernetes_version: str | None) -> Iterator[OutsideReader]:  # noqa: FBT001  as given
    if with_cfn_lint or kubernetes_version is not None:
        from functools import partial

        from trainyard.checking.outside_judges import cfn_lint_findings, kubernetes_findings

        if with_cfn_lint:
            yield cfn_lint_findings
        if kubernetes_version is not None:
            yield partial(kubernetes_findings, kubernetes_version)


def fixes_of(files: Iterable[str]) -> Iterator[FixedText]:
    """Yield what `check --fix` would change of each file, and of each file below each folder. Nothing is written.

    Standard input has no file to be written to and is left out, as is what cannot be read: a check says why.
    """
    from trainyard.checking.fixes import fixed_text

    for path in files:
        for file in files_below(path) if is_folder(path) else (path,) if path != "-" else ():
            try:
                fixed = fixed_text(read_text(file), file)
            except FindingsError:
                continue
            if fixed.fixed:
                yield fixed


def write_baseline(file: str, checked: Sequence[FileFindings]) -> int:
    """Write all findings into a file that later checks leave out, in place of what it held; return their number."""
    from pathlib import Path

    from trainyard.checking.baseline import baseline_text
    from trainyard.edge.new_file import write_new_file

    write_new_file(Path(file), baseline_text(checked, file), force=True)
    return sum(len(each.findings) for each in checked)


def write_fixes(fixed: FixedText) -> None:
    """Write the fixes of a file. Raises TrainyardError where it has changed since it was read, or on failure."""
    from pathlib import Path

    from trainyard.edge.new_file import replace_text

    replace_text(Path(fixed.file), fixed.before, fixed.after)
