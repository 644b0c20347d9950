"""How a dashboard tells whose it is, and whether people have edited it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.monitoring.cloudwatch_clusters import EVERYTHING, body
from tests.specs import spec_of
from trainyard.monitoring.cloudwatch_mark import DashboardMark, differences, mark_of, same

SPEC = spec_of()


def edited(**properties: Any) -> dict[str, Any]:
    """Return a dashboard whose widget number 1, CPU of the head node, was edited."""
    found = copy.deepcopy(body(EVERYTHING))
    found["widgets"][1]["properties"].update(properties)
    return found


def test_what_was_written_is_intact():
    assert mark_of(body(EVERYTHING)) == DashboardMark(SPEC.region, SPEC.name, intact=True)


def test_other_json_of_the_same_is_still_intact():
    text = json.dumps(body(EVERYTHING), sort_keys=True, indent=3).replace('"value": 90', '"value": 90.0')
    found = json.loads(text)
    assert mark_of(found) == DashboardMark(SPEC.region, SPEC.name, intact=True)
    assert same(found, body(EVERYTHING))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda one: one["widgets"][1]["properties"].update(title="CPU"), "'CPU' added"),
        (lambda one: one["widgets"][1]["properties"].update(title="CPU"), "'CPU of the head node' removed"),
        (lambda one: one["widgets"][1]["properties"].update(stacked=True), "'CPU of the head node' changed"),
        (lambda one: one["widgets"][1].update(width=12), "'CPU of the head node' moved or resized"),
        (lambda one: one["widgets"].pop(2), "'Memory of the head node' removed"),
        (lambda one: one["widgets"].append({"type": "text", "properties": {"markdown": "# Mine\nx"}}), "'Mine' added"),
        (lambda one: one["widgets"].append(one["widgets"][1]), "'CPU of the head node (2)' added"),
        (lambda one: one.update(start="-PT6H"), "period or variables changed"),
    ],
)
def test_an_edit_is_seen_and_named(change: Any, difference: str):
    wanted = body(EVERYTHING)
    found = copy.deepcopy(wanted)
    change(found)
    mark = mark_of(found)
    assert mark is not None
    assert not mark.intact
    assert difference in list(differences(found, wanted))


def test_what_is_the_same_has_no_differences():
    assert list(differences(body(EVERYTHING), body(EVERYTHING))) == []


@pytest.mark.parametrize(
    "found",
    [
        None, "no JSON", 7, [], {}, {"widgets": None}, {"widgets": [None, 3, {"type": "text"}]},
        {"widgets": [{"type": "text", "properties": []}]},
        {"widgets": [{"type": "text", "properties": {"markdown": "trainyard/us-east-2/llm sha256:0123"}}]},
        {"widgets": [{"type": "metric", "properties": {"title": "CPU"}}]},
    ],
)  # fmt: skip
def test_what_trainyard_did_not_write_has_no_mark(found: Any):
    assert mark_of(found) is None
    assert list(differences(found, body(EVERYTHING)))


def test_a_digest_that_somebody_made_up_is_not_intact():
    found = edited()
    text = found["widgets"][0]["properties"]["markdown"]
    found["widgets"][0]["properties"]["markdown"] = text[: text.index("sha256:")] + f"sha256:{'0' * 64}`"
    mark = mark_of(found)
    assert mark is not None
    assert not mark.intact
