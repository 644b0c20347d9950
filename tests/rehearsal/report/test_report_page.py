from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.rehearsal.report import results
from trainyard.rehearsal.report.report_page import report_page


class Seen(HTMLParser):
    """Notes the tags, attributes and words of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((name, value or "") for name, value in attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture(scope="module", params=["good", "failed", "hostile"])
def result(request):
    return getattr(results, request.param)()


def test_the_same_result_gives_the_same_page(result):
    assert report_page(result) == report_page(result)


def test_a_page_refers_to_nothing_that_it_would_load(result):
    seen = Seen(report_page(result))
    assert not set(seen.tags) & {"img", "image", "link", "iframe", "object", "embed", "foreignobject", "base", "form"}
    assert not [name for name, _ in seen.attributes if name in ("src", "srcset", "action", "data", "xlink:href")]
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name == "style"]
    links = [value for name, value in seen.attributes if name == "href"]
    assert all(value.startswith(("#", "https://", "http://")) for value in links)


def test_scripts_and_styles_are_only_our_own(result):
    page = report_page(result)
    seen = Seen(page)
    assert seen.tags.count("script") == 1
    assert seen.tags.count("style") == 3
    assert "evil.example" not in page
    rules = next(value for name, value in seen.attributes if value.startswith("default-src"))
    assert rules.startswith("default-src 'none'; ")
    assert "unsafe" not in rules


def test_hostile_names_are_shown_as_they_are_but_for_what_cannot_be_shown():
    seen = Seen(report_page(results.hostile()))
    shown = results.HOSTILE.replace("\u202e", "\ufffd").replace("\x00", "\ufffd")
    assert f"NetworkThing00{shown}" in seen.words
    assert f"network stack{shown}" in seen.text.lower()


def test_the_verdict_comes_first_and_says_what_is_left():
    good, failed = Seen(report_page(results.good())), Seen(report_page(results.failed()))
    assert "The rehearsal of ml-cluster-p5 succeeded" in good.text
    assert "nothing is left" in good.text
    assert "Nothing of this ran on AWS" in good.text
    assert "Step storage failed: FSx refused 1300 GiB; at file_systems[0]; use 1200 or 2400" in failed.text


def test_every_stack_and_every_resource_has_its_row(result):
    seen = Seen(report_page(result))
    assert seen.tags.count("tr") == sum(1 + len(stack["resources"]) for stack in result["stacks"])
    assert seen.tags.count("details") == len(result["stacks"]) + 1  # and the calls


def test_a_failed_stack_is_open_and_says_why():
    page = report_page(results.failed())
    assert re.search(r"<details[^>]* open[^>]*>(?:(?!</summary>).)*ml-cluster-p5-storage", page, re.DOTALL)
    assert "storage capacity is not offered" in page


def test_findings_have_their_remedy_source_and_place():
    text = Seen(report_page(results.good())).text
    for words in ("the check takes minutes", "switch it off", "https://example.com/source", "cluster.yaml:34"):
        assert words in text


def test_a_source_that_is_no_web_address_is_no_link():
    result = results.good()
    result["findings"][0]["source"] = "javascript:alert(1)"
    seen = Seen(report_page(result))
    assert "javascript:alert(1)" in seen.text
    assert not [value for name, value in seen.attributes if name == "href" and "javascript" in value]


@pytest.mark.parametrize(
    "diagram",
    [
        "",
        "no drawing",
        "<html/>",
        "<!DOCTYPE svg [<!ENTITY a 'aaaa'>]><svg xmlns='http://www.w3.org/2000/svg'><text>&a;</text></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg'><text></svg>",
    ],
)
def test_a_drawing_that_cannot_be_read_is_said_to_be_missing(diagram: str):
    assert "The drawing of this rehearsal cannot be read." in report_page(results.good() | {"diagram": diagram})


def test_a_result_in_which_nothing_happened_is_a_page_too():
    nothing: dict[str, Any] = {
        "steps": [],
        "stacks": [],
        "resources": [],
        "calls": {},
        "proved": [],
        "only_aws_can_tell": [],
    }
    found = {"findings": [{"id": "x", "severity": "error", "message": "m"}], "diagram": "", "ok": False}
    empty = results.good() | nothing | found
    text = Seen(report_page(empty)).text
    assert "1 finding of severity error stopped it." in text
    assert "Nothing was done." in text
