"""JSON that is written as json.dumps writes it."""

from __future__ import annotations

import json

import pytest

from trainyard.monitoring.grafana_files import COMPILED, json_text


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"a": []},
        [[], {}],
        {"b": None, "a": True, "c": [1.5, -3, 1e300]},
        {"é": 'ü"\n\t\u2028😀'},
        "text",
        0,
        None,
    ],
)
def test_a_value_is_written_as_json_dumps_writes_it(value):
    assert json_text(value) == json.dumps(value, indent=2, sort_keys=True)


def test_dashboards_are_written_as_json_dumps_writes_them():
    dashboards = json.loads(COMPILED.read_bytes())
    assert json_text(dashboards) == json.dumps(dashboards, indent=2, sort_keys=True)
