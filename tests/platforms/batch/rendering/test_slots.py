"""Slots of a native file: what each form of them becomes, and that the rest stays as it is."""

from __future__ import annotations

import pytest
import yaml

from trainyard.render.slots import Slot, fill_slots, without_comments


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        ("Size: 5  # slot: x", 7, "Size: 7"),
        ("Name: a  # slot: x", "b c", "Name: b c"),
        ('Value: "8"  # slot: x', "16", "Value: '16'"),
        ("Types: [a]  # slot: x", ["b", "c"], "Types: [b, c]"),
        ("- {Name: A, Value: b}  # slot: x", {"Name": "A", "Value": "c"}, "- {Name: A, Value: c}"),
        ("Size: 5  # slot: x", Slot.KEEP, "Size: 5"),
    ],
)
def test_a_value_takes_the_place_of_the_one_in_its_line(line: str, value: object, expected: str):
    assert fill_slots(f"a: 1\n{line}\nb: 2\n", {"x": value}) == f"a: 1\n{expected}\nb: 2\n"


def test_a_block_takes_the_place_of_the_one_below_its_line():
    text = "top:\n  # why\n  Devices:  # slot: x\n    - {a: 1}\n    - {a: 2}\n\n  After: 1\n"
    expected = "top:\n  # why\n  Devices:\n    - {b: 3}\n\n  After: 1\n"
    assert fill_slots(text, {"x": [{"b": 3}]}) == expected


def test_what_is_removed_goes_with_its_block_and_the_comment_above_it():
    text = "top:\n  Before: 1\n  # why\n  # so\n  Devices:  # slot: x\n    - {a: 1}\n  After: 1\n"
    assert fill_slots(text, {"x": Slot.REMOVE}) == "top:\n  Before: 1\n  After: 1\n"


def test_what_is_kept_has_its_own_slots_filled():
    text = "Job:  # slot: x\n  Size: 1  # slot: y\nAfter: 1\n"
    assert fill_slots(text, {"x": Slot.KEEP, "y": 2}) == "Job:\n  Size: 2\nAfter: 1\n"


def test_keys_come_below_each_other_where_the_comment_stands_alone():
    text = "Tags:\n  a: 1\n  # slot: x\nAfter: 1\n"
    assert fill_slots(text, {"x": {"b": "c d", "e": "f"}}) == "Tags:\n  a: 1\n  b: c d\n  e: f\nAfter: 1\n"
    assert fill_slots(text, {"x": {}}) == "Tags:\n  a: 1\nAfter: 1\n"


def test_a_text_is_there_as_it_was():
    program = "#!/bin/sh\nif true; then\n  echo '# slot: y'\nfi\n"
    made = fill_slots("Programs:\n  Text: |  # slot: x\nAfter: 1\n", {"x": program})
    assert yaml.safe_load(made) == {"Programs": {"Text": program}, "After": 1}


def test_a_slot_without_a_value_is_an_error_and_not_left_empty():
    with pytest.raises(KeyError, match="x"):
        fill_slots("Size: 5  # slot: x\n", {})


def test_without_comments_marks_stay():
    assert without_comments("# why\na: 1  # slot: x\n  #: of each queue\n  # slot: y\n") == (
        "a: 1  # slot: x\n  #: of each queue\n  # slot: y\n"
    )
