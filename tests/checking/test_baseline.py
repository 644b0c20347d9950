"""Findings that a baseline lists are left out, each as often as it lists it, wherever their lines move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainyard.checking.baseline import baseline_text, read_baseline, without_known
from trainyard.checking.spec_file import FileFindings
from trainyard.errors import InputError
from trainyard.finding import Finding

ONE = Finding("an-id", "error", "is wrong", path="a.b")


def checked(folder: Path, *findings: Finding, name: str = "a.yaml") -> list[FileFindings]:
    file = str(folder / name)
    return [FileFindings(file, None, tuple(each._replace(file=file) for each in findings))]


def baseline(folder: Path, *findings: Finding) -> Path:
    file = folder / "known.json"
    file.write_text(baseline_text(checked(folder, *findings), str(file)))
    return file


def left(folder: Path, file: Path, *findings: Finding, name: str = "a.yaml") -> list[tuple[int, int]]:
    """Return how many findings are new and known."""
    result = without_known(checked(folder, *findings, name=name), read_baseline(str(file)))
    return [(len(each.findings), len(each.known)) for each in result]


def test_what_it_lists_is_known_on_whatever_line_it_stands_now(tmp_path):
    file = baseline(tmp_path, ONE._replace(line=3, column=1))
    assert left(tmp_path, file, ONE._replace(line=7, column=2)) == [(0, 1)]


@pytest.mark.parametrize("change", [{"id": "other"}, {"message": "is so"}, {"path": "a.c"}, {"path": None}], ids=str)
def test_another_finding_is_new(tmp_path, change):
    assert left(tmp_path, baseline(tmp_path, ONE), ONE._replace(**change)) == [(1, 0)]


def test_a_second_one_like_it_is_new_and_so_is_one_of_another_file(tmp_path):
    file = baseline(tmp_path, ONE)
    assert left(tmp_path, file, ONE, ONE) == [(1, 1)]
    assert left(tmp_path, file, ONE, name="b.yaml") == [(1, 0)]


def test_it_holds_from_whichever_folder_a_check_is_called(tmp_path, monkeypatch):
    file = baseline(tmp_path, ONE)
    monkeypatch.chdir(tmp_path)
    here = [FileFindings("./a.yaml", None, (ONE._replace(file="./a.yaml"),))]
    assert [each.findings for each in without_known(here, read_baseline(file.name))] == [()]


def test_it_is_a_line_a_finding_in_their_order(tmp_path):
    text = baseline(tmp_path, ONE._replace(id="z"), ONE).read_text()
    assert [json.loads(line.rstrip(","))["id"] for line in text.splitlines()[1:-1]] == ["an-id", "z"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": 1}', '{"schema": 2, "findings": []}', '{"schema": 1, "findings": [{"id": "x"}]}',
     '{"schema": 1, "findings": [{"file": 1, "id": "x", "path": null, "message": "m"}]}', "[" * 5000],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_what_is_none_is_refused_with_its_name(tmp_path, text):
    file = tmp_path / "known.json"
    file.write_text(text)
    with pytest.raises(InputError, match="baseline"):
        read_baseline(str(file))


def test_one_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError) as caught:
        read_baseline(str(tmp_path / "known.json"))
    assert caught.value.where == str(tmp_path / "known.json")
