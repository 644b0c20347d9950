"""What ``trainyard rehearse`` refuses or says before anything is rehearsed."""

from __future__ import annotations

import json

import pytest

from trainyard.api.rehearse import what_can_break_down
from trainyard.rules import example_spec


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec("software: {setup: cpu}\n"))
    return "cluster.yaml"


def test_what_can_break_down_is_listed(trainyard, spec):
    lines = trainyard("rehearse", "--break", "list").out.splitlines()
    assert dict(line.split(maxsplit=1) for line in lines) == what_can_break_down()
    listed = json.loads(trainyard("rehearse", spec, "--break", "list", "--json").out)
    assert {one["name"]: one["what"] for one in listed["breakdowns"]} == what_can_break_down()


def test_what_cannot_break_down_is_refused_with_what_can(trainyard, spec):
    result = trainyard("rehearse", spec, "--break", "everything")
    assert result.status == 2
    assert "nothing breaks down as 'everything'" in result.err
    assert "no-capacity" in result.err


def test_an_archive_that_is_there_is_refused_before_anything_is_rehearsed(trainyard, spec, tmp_path):
    (tmp_path / "logs.tar.gz").write_bytes(b"mine")
    result = trainyard("rehearse", spec, "--archive", "logs.tar.gz")
    assert (result.status, result.out) == (2, "")
    assert "logs.tar.gz exists already" in result.err
    assert (tmp_path / "logs.tar.gz").read_bytes() == b"mine"


def test_an_archive_that_is_called_something_else_is_refused_before_anything_is_rehearsed(trainyard, spec):
    result = trainyard("rehearse", spec, "--archive", "logs.txt")
    assert (result.status, result.out) == (2, "")
    assert "call it logs.tar.gz" in result.err


def test_a_folder_of_somebody_else_is_refused_before_anything_is_rehearsed(trainyard, spec, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    result = trainyard("rehearse", spec, "-o", "mine")
    assert (result.status, result.out) == (2, "")
    assert "mine was not made by trainyard" in result.err
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
