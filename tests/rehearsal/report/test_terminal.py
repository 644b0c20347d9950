from __future__ import annotations

from typing import Any

import pytest

from tests.rehearsal.report import results
from trainyard.rehearsal.report.terminal import summary


def large() -> dict[str, Any]:
    result = results.failed()
    result["steps"] = [{**result["steps"][0], "title": f"step {number}"} for number in range(200)] + result["steps"]
    result["findings"] = results.good()["findings"] * 100
    return result | {"proved": results.good()["proved"]}


@pytest.mark.parametrize("result", [results.good, results.failed, results.hostile, large])
def test_a_summary_has_at_most_40_lines_that_fit_into_a_terminal(result):
    lines = summary(result()).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 120


def test_a_summary_sends_nothing_to_the_terminal_that_it_would_obey():
    result = results.good() | {"name": "\x1b[2Jname\r\n\x07"}
    said = summary(result).replace("\n", "")
    assert all(character.isprintable() for character in said)


def test_a_summary_begins_with_the_verdict():
    assert summary(results.good()).startswith("The rehearsal of ml-cluster-p5 succeeded in ")
    assert summary(results.failed()).startswith("The rehearsal of ml-cluster-p5 failed in ")


def test_a_step_that_failed_is_named_however_many_there_are():
    assert "FSx refused 1300 GiB" in summary(large())
    assert "  failed      3.6 s  Storage stack: FSx refused 1300 GiB" in summary(large())


def test_what_only_aws_can_tell_is_part_of_every_summary():
    assert "Only AWS can tell:\n  Whether the capacity reservation exists" in summary(results.failed())
