"""A fix changes what it names and leaves every other character as it is."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainyard.document.fix_text import with_fix
from trainyard.finding import Fix

TEXT = """\
# what it is for
name: llm  # ours
volume: {size_gib: 100, encrypted: false}
queues:
  - name: gpu
    check: true

    nodes:
      min: 1
      max: 2
  # the other one
  - {name: cpu}
empty:
"""


@pytest.mark.parametrize(
    ("fix", "before", "after"),
    [
        (Fix(("name",), "gpt"), "name: llm  # ours", "name: gpt  # ours"),
        (Fix(("volume", "encrypted"), value=True), "encrypted: false}", "encrypted: true}"),
        (Fix(("volume", "iops"), 3000), "{size_gib", "{iops: 3000, size_gib"),
        (Fix(("queues", 0, "nodes", "min"), 2), "min: 1", "min: 2"),
        (Fix(("queues", 0, "efa"), value=True), "- name: gpu", "- efa: true\n    name: gpu"),
        (Fix(("queues", 1, "setup", "kind"), "gpu"), "{name: cpu}", "{setup: {kind: gpu}, name: cpu}"),
        (Fix(("empty",), "no"), "empty:", 'empty: "no"'),
        (Fix(("queues", 0, "nodes"), key="count"), "nodes:\n", "count:\n"),
        (Fix(("volume", "size_gib"), remove=True), "{size_gib: 100, encrypted", "{encrypted"),
        (Fix(("volume", "encrypted"), remove=True), ", encrypted: false", ""),
        (Fix(("queues", 0, "check"), remove=True), "    check: true\n", ""),
        (Fix(("queues", 0, "nodes"), remove=True), "    nodes:\n      min: 1\n      max: 2\n", ""),
        (Fix(("queues", 0, "name"), remove=True), "- name: gpu\n    check", "- check"),
        (Fix(("empty",), remove=True), "empty:\n", ""),
    ],
)
def test_a_fix_changes_nothing_else(fix: Fix, before: str, after: str):
    assert TEXT.count(before) == 1
    assert with_fix(TEXT, fix, 2) == TEXT.replace(before, after)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("a: &x {b: 1}\nc: *x\n", Fix(("c", "b"), 2)),
        ("a: &x {b: 1}\nc: *x\n", Fix(("a", "b"), 2)),
        ("a: [1, 2]\n", Fix(("a",), 2)),
        ("a: |\n  text\n", Fix(("a",), "b")),
        ("a: {b: 1}\n", Fix(("a", "b"), remove=True)),
        ("a: 1\n", Fix(("b",), key="c")),
        ("a: [1]\n", Fix(("a", 3, "b"), 1)),
        ("a: {b: ${C}\n", Fix(("a",), 1)),
        ("", Fix(("a",), 1)),
    ],
    ids=str,
)
def test_what_would_touch_more_is_not_written(text: str, fix: Fix):
    assert with_fix(text, fix, 1) is None


def test_of_several_documents_the_one_that_the_line_is_in_is_fixed():
    text = "a: 1\n---\n# second\na: 1\n---\na: 1\n"
    assert with_fix(text, Fix(("a",), 2), 4) == "a: 1\n---\n# second\na: 2\n---\na: 1\n"


def test_ends_of_lines_and_tags_stay_and_json_stays_json():
    assert with_fix("a: !Ref b\r\nc: 1\r\n", Fix(("c",), 2), 2) == "a: !Ref b\r\nc: 2\r\n"
    assert with_fix('{"a": {"b": "c"}}', Fix(("a", "d"), "e"), 1) == '{"a": {"d": "e", "b": "c"}}'


_VALUES = st.recursive(
    st.integers() | st.booleans() | st.text("ab: #'", max_size=4),
    lambda inner: (
        st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3) | st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)


def _paths(value: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in members for path in ((*above, key), *_paths(inner, (*above, key)))]


@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), _VALUES, min_size=1, max_size=4), st.data())
def test_what_is_written_reads_as_the_document_with_the_change(content: dict[str, Any], data: st.DataObject):
    flow = data.draw(st.sampled_from([None, False, True]))
    text = json.dumps(content) if flow else yaml.safe_dump(content, default_flow_style=flow, width=4096)
    path = data.draw(st.sampled_from(_paths(content)))
    new_key = data.draw(st.booleans())
    fix = data.draw(
        st.sampled_from([Fix((*path, "new") if new_key else path, 7), Fix(path, key="zz"), Fix(path, remove=True)])
    )
    after = with_fix(text, fix, 1)
    if after is None:
        return
    expected = copy.deepcopy(content)
    *parents, last = fix.path
    place: Any = expected
    for step in parents:
        place = place[step]
    if fix.remove:
        del place[last]
    elif fix.key:
        place[fix.key] = place.pop(last)
    else:
        place[last] = fix.value
    assert yaml.safe_load(after) == expected
