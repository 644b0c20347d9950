"""The page as a text: what is in it, and what is not."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.bench.report import reports
from trainyard.bench.report.plots import plot_files
from trainyard.bench.report.report_page import report_page
from trainyard.bench.report.terminal import report_text


def test_the_page_has_no_script_and_allows_none(tmp_path: Path):
    page = report_page(reports.growing(tmp_path))
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "script-src" not in page


def test_hostile_names_stay_text(tmp_path: Path):
    values = reports.hostile(tmp_path)
    page = report_page(values)
    assert "alert(" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\u202e" not in report_text(values)


def test_the_same_values_give_the_same_page(tmp_path: Path):
    values = reports.growing(tmp_path)
    assert report_page(values) == report_page(values)


def test_sections_without_figures_are_left_out(tmp_path: Path):
    page = report_page(reports.hostile(tmp_path))
    assert 'id="bandwidth"' in page
    assert 'id="nodes"' not in page


def test_a_forecast_is_marked_as_one(tmp_path: Path):
    values = reports.growing(tmp_path)
    assert "Forecast, not measured" in report_page(values)
    rows = [line for line in report_text(values).splitlines() if re.match(r" *1024 ", line)]
    assert len(rows) == 1
    assert "forecast" in rows[0]
    assert "confidence low" in rows[0]


def test_page_and_text_have_the_same_facts(tmp_path: Path):
    values = reports.growing(tmp_path)
    page, text = report_page(values), report_text(values)
    for fact in (
        values["headline"],
        "487",
        "nodes-8.out",
        "31 network cards were found",
        "bench-versions",
        "What to do",
    ):
        assert fact.lower() in page.lower()
        assert fact.lower() in text.lower()


def test_many_runs_are_closed_but_the_worst(tmp_path: Path):
    values = reports.pairs(tmp_path)
    many = {**values, "runs": [{**values["runs"][0], "number": at} for at in range(1, 101)]}
    assert "<summary>80 more runs</summary>" in report_page({**many, "charts": []})


@pytest.mark.parametrize("kind", ["growing", "pairs", "processes", "hostile"])
def test_plots_are_whole_svg_files_without_script(kind: str, tmp_path: Path):
    files = plot_files(getattr(reports, kind)(tmp_path))
    assert files
    for name, text in files.items():
        assert re.fullmatch(r"\d\d-[a-z0-9-]+\.svg", name)
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert float(root.get("width", "0")) > 0
        assert not [one for one in root.iter() if one.tag.endswith("script")]
        assert [one for one in root.iter() if one.tag.endswith("style")]
