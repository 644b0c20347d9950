"""The forms of findings: text, SARIF and workflow commands of GitHub, also with hostile names and values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainyard.checking.spec_file import FileFindings
from trainyard.cli.formats import PRINTERS
from trainyard.cli.output import severity_counts
from trainyard.finding import Finding
from trainyard.foreign_text import one_line

PLAIN = Finding("an-id", "error", "is wrong", "do this", "https://example.com", "a.yaml", 3, 5, "a.b")
BARE = Finding("other-id", "info", "is so", file="b.yaml")
HOSTILE = Finding(
    "an-id", "warning", "50%, a:b\n::error::\r\x1b[31m\x9b0m\u202e\u2028", "x\ny", file="a b,c:%\n\x1b[2J\udcff.yaml"
)


@pytest.fixture
def printed(capsys):
    """Return a function that gives what a format prints of some findings."""

    def run(format_: str, *findings: Finding) -> str:
        PRINTERS[format_]([FileFindings(finding.file or "", None, (finding,)) for finding in findings])
        text: str = capsys.readouterr().out
        return text

    return run


def test_text_is_a_line_for_each_finding_and_a_count(printed):
    assert printed("text", PLAIN, BARE) == (
        "a.yaml:3:5: error: is wrong; do this [an-id]\n"
        "b.yaml: info: is so [other-id]\n"
        "1 error, 1 info; `trainyard explain ID` says more about each\n"
    )


def test_text_says_which_file_is_right(capsys):
    PRINTERS["text"]([FileFindings("a\x1b[2J\n.yaml", None, ())])
    assert capsys.readouterr().out == "a\\x1b[2J\\n.yaml: ok\n"


def test_findings_are_counted_by_severity():
    found = [Finding("x", severity, "") for severity in ("warning", "error", "warning", "info", "info")]
    assert severity_counts(found) == "1 error, 2 warnings, 2 info"
    assert severity_counts([]) == "no findings"


def test_hostile_text_is_escaped_on_one_line(printed):
    line, count, end = printed("text", HOSTILE).split("\n")
    assert (end, line.isprintable(), count.startswith("1 warning")) == ("", True, True)
    assert line.startswith(
        "a b,c:%\\n\\x1b[2J\\udcff.yaml: warning: 50%, a:b\\n::error::\\r\\x1b[31m\\x9b0m\\u202e\\u2028; "
    )


@pytest.mark.parametrize("text", ["", "a b", "é…😀", "C:\\x1b"], ids=ascii)
def test_printable_text_stays_as_it_is(text):
    assert one_line(text) == text


def test_github_gets_a_command_for_each_finding(printed):
    assert printed("github", PLAIN, BARE) == (
        "::error file=a.yaml,line=3,col=5,title=an-id::is wrong; do this\n::notice file=b.yaml,title=other-id::is so\n"
    )


def test_hostile_text_cannot_begin_another_github_command(printed):
    # Escapes: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
    line, end = printed("github", HOSTILE).split("\n")
    assert (end, line.isprintable()) == ("", True)
    properties, message = line.removeprefix("::warning ").split("::", 1)
    assert properties == "file=a b%2Cc%3A%25%0A\\x1b[2J\\udcff.yaml,title=an-id"
    assert message == "50%25, a:b%0A::error::%0D\\x1b[31m\\x9b0m\\u202e\\u2028; x%0Ay"


def sarif(text: str) -> Any:
    assert text.isascii()
    return json.loads(text)


def test_sarif_has_a_rule_for_each_id_and_a_result_for_each_finding(printed):
    log = sarif(printed("sarif", PLAIN, BARE, PLAIN))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["tool"]["driver"]["rules"] == [{"id": "an-id", "helpUri": "https://example.com"}, {"id": "other-id"}]
    assert run["results"][:2] == [
        {
            "ruleId": "an-id",
            "level": "error",
            "message": {"text": "is wrong; do this"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "a.yaml"},
                        "region": {"startLine": 3, "startColumn": 5},
                    }
                }
            ],
        },
        {
            "ruleId": "other-id",
            "level": "note",
            "message": {"text": "is so"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "b.yaml"}}}],
        },
    ]


def test_sarif_names_a_file_by_a_valid_uri_whatever_its_name(printed):
    (result,) = sarif(printed("sarif", HOSTILE))["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b%2Cc%3A%25%0A%1B%5B2J%FF.yaml"


@pytest.mark.parametrize("format_", ["sarif", "json"])
def test_without_findings_the_output_is_whole_all_the_same(printed, format_):
    assert json.loads(printed(format_))


def test_gitlab_is_a_report_of_code_quality_whose_fingerprints_stay_when_lines_move(printed):
    report = json.loads(printed("gitlab", PLAIN, PLAIN, BARE, HOSTILE))
    moved = json.loads(printed("gitlab", PLAIN._replace(line=9)))
    assert [entry["severity"] for entry in report] == ["major", "major", "info", "minor"]
    assert report[0]["location"] == {"path": "a.yaml", "lines": {"begin": 3}}
    assert moved[0]["fingerprint"] == report[0]["fingerprint"]
    assert len({entry["fingerprint"] for entry in report}) == 4
