"""A verdict that rests on facts which are too old says so."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from trainyard.api.check import check_files
from trainyard.api.new import new_spec

LONG_AGO, LONG_AFTER = date(2026, 11, 22), date(2031, 1, 1)


def expired(text: str, folder: Path, today: date | None) -> list[str]:
    """Return what is said of old facts."""
    file = folder / "cluster.yaml"
    file.write_text(text)
    (checked,) = check_files([str(file)], today=today)
    return [finding.message for finding in checked.findings if finding.id == "facts-expired"]


def test_the_files_that_were_read_are_named_with_their_days(tmp_path: Path):
    (message,) = expired(new_spec("p5-observability", []), tmp_path, LONG_AFTER)
    assert "instances/p5.yaml of 2026-" in message


def test_nothing_is_said_while_facts_are_believed_or_without_a_day(tmp_path: Path):
    for today in (LONG_AGO, None):
        assert expired(new_spec("p5-observability", []), tmp_path, today) == []


def test_a_file_of_another_tool_is_judged_by_facts_too(tmp_path: Path):
    cluster = "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: a, region: us-east-2}\n"
    assert len(expired(cluster, tmp_path, LONG_AFTER)) == 1


def test_what_cannot_be_read_rests_on_no_facts(tmp_path: Path):
    assert expired("a: [", tmp_path, LONG_AFTER) == []


def test_it_is_no_error(tmp_path: Path):
    file = tmp_path / "cluster.yaml"
    file.write_text(new_spec("p5-observability", []))
    (then,), (later,) = (list(check_files([str(file)], today=today)) for today in (LONG_AGO, LONG_AFTER))
    assert not then.has_errors
    assert not later.has_errors
