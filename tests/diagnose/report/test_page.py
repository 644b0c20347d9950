"""The page for a support ticket: what it says, and that no log breaks out of it."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tests.diagnose.report.diagnoses import HOSTILE, diagnosis
from trainyard.diagnose.cause import causes
from trainyard.diagnose.diagnosis_values import diagnosis_values, redact_values
from trainyard.diagnose.report.page import code, code_block, report_page
from trainyard.diagnose.report.sentences import depth_sentence, different_lines, excerpt

_FIRST = {
    "gpu-fell-off-bus": "",
    "slurm-fatal": "This can be a symptom",
    "nccl-watchdog-timeout": "This can be a symptom",
    "job-process-failed": "This is a symptom",
}
ALL = pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])


def page(*, known: bool = True, hostile: str = "a line") -> str:
    return report_page(diagnosis_values(diagnosis(known=known, hostile=hostile)))


def test_it_tells_everything_in_its_order():
    headings = [line for line in page().splitlines() if line.startswith("#")]
    assert headings == [
        "# The title of gpu-lost",
        "## Root cause",
        "## Evidence",
        "## What to do",
        "## What followed",
        "## What else is wrong",
        "### The title of slow",
        "## What looks like trouble and is none",
        "## What was not read",
        "## About this page",
    ]


def test_what_happened_stands_first_with_what_followed():
    assert "This is certain: 1 line on 1 node, at 2026-05-06T12:00:00Z." in page()
    assert "What followed from it: The title of watchdog (3 lines)." in page()
    assert "- 2026-05-06T12:10:00Z: The title of watchdog (`watchdog`, 3 lines, at 2026-05-06T12:10:00Z)" in page()


def test_where_nothing_is_known_it_says_so_and_shows_unusual_lines():
    assert page(known=False).startswith("# Nothing known is wrong in these logs\n")
    assert "## Unusual lines" in page(known=False)


def test_what_was_not_read_is_counted_also_where_it_is_not_listed():
    assert "- `a line`: `a line`\n- and 2 more\n" in page()


def test_it_says_whether_it_is_redacted():
    assert "nothing in it is redacted" in page()
    hidden = redact_values(diagnosis_values(diagnosis(hostile=" i-02b054fb6149dfb15")))
    assert "have other names in it" in report_page(hidden)
    assert "i-02b054fb6149dfb15" not in report_page(hidden)


@ALL
def test_nothing_of_a_log_is_markdown_or_html(known):
    tokens = MarkdownIt("commonmark").parse(page(known=known, hostile=HOSTILE))
    free = [
        child.content
        for token in tokens
        for child in (token.children or [token])
        if child.type not in ("fence", "code_inline", "inline")
    ]
    assert any(token.type == "fence" for token in tokens)
    assert [text for text in free if "Owned" in text or "script" in text or "http://example.com" in text] == []
    assert {child.type for token in tokens for child in (token.children or [])} <= {
        "text", "code_inline", "softbreak", "link_open", "link_close",
    }  # fmt: skip


@ALL
def test_it_commands_no_terminal_and_turns_no_line_round(known):
    assert all(one.isprintable() or one == "\n" for one in page(known=known, hostile=HOSTILE))


@pytest.mark.parametrize("text", ["`", "a``b", "```", "", " ", "x", "`x`"])
def test_a_span_of_code_is_one_span(text):
    (inline,) = [token for token in MarkdownIt("commonmark").parse(code(text)) if token.type == "inline"]
    assert [child.type for child in inline.children or []] == ["code_inline"]
    assert (inline.children or [])[0].content.strip() == text.strip()


def test_a_block_of_code_is_one_block_with_the_text_as_it_is():
    tokens = MarkdownIt("commonmark").parse("\n".join(code_block(["`````", "    ~~~~", "# x"])))
    assert [(token.type, token.content) for token in tokens] == [("fence", "`````\n    ~~~~\n# x\n")]


def test_a_first_cause_that_something_else_may_bring_about_is_called_a_symptom():
    texts = {id_: depth_sentence({"cause": id_, "kind": causes()[id_].kind}) for id_ in _FIRST}
    assert {id_: text.partition(":")[0] for id_, text in texts.items()} == _FIRST


def test_lines_that_differ_in_numbers_only_are_shown_once():
    lines = [{"node": None, "text": f"step {number} failed", "file": "a", "line": number} for number in range(5)]
    assert different_lines([*lines, {**lines[0], "text": "no memory"}]) == [lines[0], {**lines[0], "text": "no memory"}]


def test_colours_within_a_word_are_not_shown_and_other_commands_are_escaped():
    assert excerpt({"text": "GPU has \x1b[1;31mfal\x1b[0mlen \x1b]0;title\x07"}).startswith("GPU has fallen \\x1b")
