"""Every form of a secret, in every output that is written to be handed on: none of them is there."""

from __future__ import annotations

import gzip
import html
import json
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.bench.report import reports
from tests.diagnose.report.diagnoses import diagnosis
from tests.each_case import each_case
from tests.forged.test_pages import filled
from tests.rehearsal.report.results import failed
from trainyard.api.rehearse import write_report
from trainyard.bench.report.redaction import HiddenNames
from trainyard.bench.report.report_page import report_page as bench_page
from trainyard.diagnose.diagnosis_values import diagnosis_values, redact_values
from trainyard.diagnose.report.page import report_page as diagnosis_page
from trainyard.edge.new_archive import new_archive
from trainyard.redaction.secrets import secret_forms, values_without_secrets

_SECRET = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
LINES = {f"{form.name}-{at}": line for form in secret_forms() for at, line in enumerate(form.examples)}


def of_archives(line: str, folder: Path) -> str:
    """Return what `logs --export` and `rehearse --archive` write."""
    with new_archive(folder / "logs.tar.gz", force=True) as archive, archive.part() as content:
        content.write(f"before\n{line}\nafter\n".encode())
        archive.add("a.log", content, 0.0)
    return gzip.decompress((folder / "logs.tar.gz").read_bytes()).decode()


def of_rehearsals(line: str, folder: Path) -> str:
    place = write_report(
        {**filled(failed(), f"\n{line}"), "name": "llm", "diagram": "<svg/>"}, folder / "llm", force=True
    )
    return "\n".join(file.read_text(encoding="utf-8") for file in place.iterdir())


def of_diagnoses(line: str, _folder: Path) -> str:
    values = redact_values(diagnosis_values(diagnosis(hostile=f"\n{line}")))
    return f"{diagnosis_page(values)}\n{json.dumps(values)}"


@cache
def _bandwidth() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        return reports.growing(Path(folder))


def of_bandwidth(line: str, _folder: Path) -> str:
    values: dict[str, Any] = filled(_bandwidth(), f"\n{line}")
    shown = HiddenNames([]).hide(values), values_without_secrets(values)
    return "\n".join(f"{bench_page(each)}\n{json.dumps(each)}" for each in shown)


OUTPUTS: dict[str, Callable[[str, Path], str]] = {
    name.removeprefix("of_"): output for name, output in dict(globals()).items() if name.startswith("of_")
}


@cache
def _without_secret(output: Callable[[str, Path], str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return output("harmless", Path(folder))


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
@each_case("line", LINES.values(), ids=LINES)
def test_no_secret_is_in_it(line: str, output: Callable[[str, Path], str], tmp_path: Path):
    written, harmless = output(_SECRET.sub(r"\1", line), tmp_path), _without_secret(output)
    shown = f"{written}\n{html.unescape(written)}"
    for secret in _SECRET.findall(line):
        assert secret not in shown or secret in harmless, f"{secret!r} of {line!r}"
        assert json.dumps(secret)[1:-1] not in shown or secret in harmless, f"{secret!r} of {line!r}"
