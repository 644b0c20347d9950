"""The report of bandwidth tests: values, page, text and plots."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainyard.api.bench_judge import judge_files
from trainyard.bench.report.plots import plot_files
from trainyard.bench.report.redaction import HiddenNames, hosts_in
from trainyard.bench.report.report_metrics import report_metrics
from trainyard.bench.report.report_page import report_page
from trainyard.bench.report.report_values import report_values
from trainyard.bench.report.terminal import report_text
from trainyard.edge.new_file import write_new_file
from trainyard.redaction.secrets import values_without_secrets
from trainyard.submission.submitted_jobs import read_submission_record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trainyard.api.bench_judge import FileJudgement

__all__ = ["report_files", "report_text", "write_metrics", "write_page", "write_plots"]


def report_files(  # noqa: PLR0913  one for each option
    files: tuple[str, ...],
    *,
    instance_type: str | None = None,
    nodes: int | None = None,
    baseline: str | None = None,
    cluster: str | None = None,
    with_host_names: bool = False,
) -> dict[str, Any]:
    """Return the values of the report on all runs of files and folders, judged as by ``judge_files``.

    Unless asked for, names of hosts, users and addresses are not in it. ``cluster`` is what the runs are said to be of;
    without it, those are named whose `bench submit` has filled the folders.
    Raises InputError where a file has no run, or what is said of it cannot be so.
    """
    judged = list(judge_files(files, instance_type=instance_type, nodes=nodes, baseline=baseline))
    names = _short_names([judged_run.file for judged_run in judged])
    runs = [(name, judged_run.judgement) for name, judged_run in zip(names, judged, strict=True)]
    values = report_values(runs, [cluster] if cluster is not None else _clusters(files))
    shown: dict[str, Any] = (
        values_without_secrets(values) if with_host_names else HiddenNames(_hosts(judged)).hide(values)
    )
    return shown


def write_page(values: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Write the page. Raises InputError where the file exists and is not to be replaced."""
    write_new_file(file, report_page(values), force=force)


def write_metrics(values: Mapping[str, Any], file: Path) -> None:
    """Write the metrics whole, in place of former ones: whoever reads them reads again and again."""
    write_new_file(file, report_metrics(values), force=True)


def write_plots(values: Mapping[str, Any], folder: Path, *, force: bool = False) -> list[Path]:
    """Write each plot as an SVG file into a folder, and return the files."""
    written = {folder / name: text for name, text in plot_files(values).items()}
    for file, text in written.items():
        write_new_file(file, text, force=force)
    return list(written)


def _clusters(files: Sequence[str]) -> list[str]:
    """Return the clusters whose results lie in the folders of the files, as `bench submit` wrote them down."""
    folders = {Path(file) if Path(file).is_dir() else Path(file).parent for file in files if file != "-"}
    records = [read_submission_record(folder) for folder in sorted(folders)]
    return sorted({record.cluster for record in records if record is not None})


def _short_names(files: Sequence[str]) -> list[str]:
    """Return what files are called below the folder that they have in common: a path may name people."""
    absolute = [str(Path(file).absolute()) for file in files]
    common = os.path.commonpath([str(Path(path).parent) for path in absolute])
    named = [str(Path(path).relative_to(common)) for path in absolute]
    return ["standard input" if file == "-" else name for file, name in zip(files, named, strict=True)]


def _hosts(judged: Sequence[FileJudgement]) -> list[str]:
    runs = [judged_run.judgement.case.run for judged_run in judged]
    listed = [host for run in runs for host in run.hosts]
    lines = [evidence_line.text for run in runs for evidence_line in (*run.failures, *run.transport.evidence)]
    return [*listed, *hosts_in(lines)]
