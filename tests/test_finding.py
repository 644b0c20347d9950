from __future__ import annotations

import pytest

from trainyard.errors import FindingsError, TrainyardError
from trainyard.finding import Finding, path_text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("name",), "name"),
        (("queues", 0), "queues[0]"),
        (("queues", 0, "capacity", "reservation"), "queues[0].capacity.reservation"),
        (("a", 1, 2, "b"), "a[1][2].b"),
    ],
)
def test_a_path_is_written_the_way_people_write_it(path, text):
    assert path_text(path) == text


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ({}, None),
        ({"file": "f"}, "f"),
        ({"file": "f", "line": 3}, "f:3"),
        ({"file": "f", "line": 3, "column": 5, "path": "a.b"}, "f:3:5 (a.b)"),
        ({"path": "a.b"}, "a.b"),
    ],
    ids=str,
)
def test_an_error_of_findings_names_the_place_of_the_first(place, where):
    error = FindingsError((Finding("an-id", "error", "wrong", "do this", **place), Finding("b", "error", "too")))
    assert (error.problem, error.where, error.hint) == ("wrong (and 1 more)", where, "do this")


def test_an_error_keeps_its_parts_apart():
    error = TrainyardError("wrong", where="here", hint="do this")
    assert (str(error), error.problem, error.where, error.hint) == ("wrong", "wrong", "here", "do this")
