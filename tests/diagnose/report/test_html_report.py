"""The HTML page of a diagnosis: what it says, and that no log breaks out of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnose.report.diagnoses import HOSTILE, diagnosis
from trainyard.api.diagnose import write_diagnosis
from trainyard.diagnose.diagnosis_values import diagnosis_values, redact_values
from trainyard.diagnose.report.html_report import html_report


def page(*, known: bool = True, hostile: str = "a line") -> str:
    return html_report(diagnosis_values(diagnosis(known=known, hostile=hostile)))


def test_it_has_the_sections_of_the_markdown_page():
    assert re.findall("<h2>(.*?)</h2>", page()) == [
        "Root cause",
        "Evidence",
        "What to do",
        "What followed",
        "What else is wrong",
        "What looks like trouble and is none",
        "What was not read",
    ]
    assert "This is certain: 1 line on 1 node, at 2026-05-06T12:00:00Z." in page()
    assert "and 2 more" in page()


def test_where_nothing_is_known_it_says_so_and_shows_unusual_lines():
    assert "<h1>Nothing known is wrong in these logs</h1>" in page(known=False)
    assert "<h2>Unusual lines</h2>" in page(known=False)


@pytest.mark.parametrize("known", [True, False])
def test_nothing_of_a_log_is_markup_and_nothing_is_loaded(known):
    text = page(known=known, hostile=HOSTILE)
    assert "<script" not in text
    assert "<img" not in text
    assert "default-src 'none'" in text
    assert set(re.findall('href="(.*?)"', text)) <= {"https://example.com/"}


def test_it_says_whether_it_is_redacted():
    assert "Nothing in it is redacted." in page()
    assert "have other names in it" in html_report(redact_values(diagnosis_values(diagnosis())))


@pytest.mark.parametrize(("name", "begins"), [("x.html", "<!doctype html>"), ("x.HTM", "<!doctype"), ("x.md", "# The")])
def test_the_name_of_the_file_says_which_page_it_is(name: str, begins: str, tmp_path: Path):
    write_diagnosis(diagnosis_values(diagnosis()), tmp_path / name)
    assert (tmp_path / name).read_text().startswith(begins)
