"""Pages and pictures that hold what strangers write: the same elements as without it, and nothing that commands."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.report import reports
from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK, assert_same_elements
from tests.rehearsal.report.results import failed
from trainyard.bench.report.report_page import report_page as bench_page
from trainyard.bench.report.terminal import report_text
from trainyard.rehearsal.report.report_page import report_page as rehearsal_page
from trainyard.rehearsal.report.terminal import summary

# Short and long: what is long is cut, and has its whole length in a title.
HARMLESS = (" a word", " words" * 60)
TEXTS = {name: text[:400] for name, text in FORGERIES.items()}
# Of rehearsal.json and the values of a bandwidth report: whatever is a name, a message or a line, and not ours.
FOREIGN = frozenset(
    {"message", "reason", "problem", "hint", "where", "remedy", "file", "path", "name", "host", "instance_type", "why"}
    | {"text", "value", "logical_id", "physical_id", "detail", "title"}
)


def filled(values: Any, text: str) -> Any:
    """Return values with a text behind everything that a stranger may have written."""
    if isinstance(values, dict):
        return {
            key: f"{value}{text}" if key in FOREIGN and isinstance(value, str) else filled(value, text)
            for key, value in values.items()
        }
    if isinstance(values, list | tuple):
        return [filled(value, text) for value in values]
    return values


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return reports.growing(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def harmless_bench(bench: dict[str, Any]) -> list[str]:
    return [bench_page(filled(bench, harmless)) for harmless in HARMLESS]


@pytest.fixture(scope="module")
def harmless_rehearsal() -> list[str]:
    return [rehearsal_page(filled(failed(), harmless)) for harmless in HARMLESS]


@each_case("text", TEXTS.values(), ids=TEXTS)
def test_a_report_of_bandwidth_with_its_plots(text: str, bench: dict[str, Any], harmless_bench: list[str]):
    page = bench_page(filled(bench, text))
    assert MARK in page
    assert_same_elements(page, harmless_bench)
    assert report_text(filled(bench, text)).replace("\n", "").isprintable()


@each_case("text", TEXTS.values(), ids=TEXTS)
def test_a_report_of_a_rehearsal(text: str, harmless_rehearsal: list[str]):
    page = rehearsal_page(filled(failed(), text))
    assert MARK in page
    assert_same_elements(page, harmless_rehearsal)
    assert summary(filled(failed(), text)).replace("\n", "").isprintable()
