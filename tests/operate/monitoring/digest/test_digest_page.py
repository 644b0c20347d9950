"""The digest as a page and as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium
from tests.operate.monitoring.digest.digests import AnsweringSource, a_week
from trainyard.operate.monitoring.digest.digest_page import digest_page
from trainyard.operate.monitoring.digest.digest_text import digest_text, subject
from trainyard.operate.monitoring.digest.digest_values import DigestPeriod, digest_values


def values(source: AnsweringSource | None = None, region: str | None = "us-east-2") -> dict[str, Any]:
    return digest_values(source or a_week(), "llm", region, DigestPeriod(7, 1_795_000_000.0))


def test_page_and_text_begin_with_what_stood_idle():
    headline = "llm: 20% of USD 147,948 stood idle in 7 days"
    assert f"<h1>{headline}</h1>" in digest_page(values())
    assert digest_text(values()).startswith(f"{headline}\nfrom 2026-11-11T")
    assert subject(values()) == f"{headline} (2026-11-18)"


def test_without_prices_it_begins_with_hours():
    assert digest_text(values(region=None)).startswith("llm: 538 of 2,688 node-hours stood idle in 7 days\n")


def test_of_an_empty_prometheus_it_says_so():
    text = digest_text(values(AnsweringSource()))
    assert text.startswith("llm: nothing was measured in 7 days\n")
    assert "No node of the cluster was measured in this time." in text
    assert "<h2>" not in digest_page(values(AnsweringSource()))


def test_a_row_of_the_text_names_its_columns():
    assert "\n  ip-10-0-0-1, Queue gpu: 70.0%\n" in digest_text(values())


def test_names_that_are_markup_stay_text_and_break_no_line():
    page, text = digest_page(values()), digest_text(values())
    assert "<img" not in page
    assert "\u202e" not in page + text
    assert "default-src 'none'" in page
    assert re.search(r"^  <img.*, GPU 3: 79$", text, re.MULTILINE)


@pytest.mark.integration
def test_nothing_of_the_page_lies_beside_a_phone(tmp_path: Path):
    file = tmp_path / "digest.html"
    file.write_text(digest_page(values()), encoding="utf-8")
    complaints: list[str] = []
    with chromium() as browser:
        for width in (1400, 500):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("console", lambda message: complaints.append(message.text))
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert sum(one.is_visible() for one in page.locator("svg.plot").all()) == 1
            assert complaints == []
