"""Why something failed: from files of logs, or from a cluster, to the root cause."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from trainyard.diagnose.cluster.cluster_diagnosis import diagnose_cluster
from trainyard.diagnose.diagnosis import Diagnosis
from trainyard.diagnose.diagnosis_values import diagnosis_values, has_errors, has_unknown_errors, redact_values
from trainyard.diagnose.file_diagnosis import diagnose_files
from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.report.html_report import html_report
from trainyard.diagnose.report.page import report_page
from trainyard.edge.new_file import write_new_file
from trainyard.operate.logs.period import period

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

__all__ = [
    "Diagnosis",
    "diagnose_cluster",
    "diagnose_files",
    "diagnosis_values",
    "has_errors",
    "has_unknown_errors",
    "line_filter",
    "redact_values",
    "write_diagnosis",
]

_HTML = {".html", ".htm"}


def line_filter(since: str | None, until: str | None, nodes: tuple[str, ...], now_s: float) -> LineFilter:
    """Return which lines count. Raises InputError where a text such as 1h or 2026-05-06T13:25 means no time."""
    times = period(since, until, now_s)
    return LineFilter(_time(times.since_ms), _time(times.until_ms), nodes)


def write_diagnosis(values: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Write a diagnosis as an HTML page where the file is named so, and as a Markdown page otherwise.

    Raises InputError where the file exists and is not to be replaced.
    """
    text = html_report(values) if file.suffix.lower() in _HTML else report_page(values)
    write_new_file(file, text, force=force)


def _time(ms: int | None) -> dt.datetime | None:
    return None if ms is None else dt.datetime.fromtimestamp(ms / 1000, dt.UTC)
