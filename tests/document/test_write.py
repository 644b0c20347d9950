from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainyard.document.read import read_yaml
from trainyard.document.write import compact_yaml, yaml_text

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(PLAIN)
def test_what_is_written_reads_as_it_was(value):
    assert yaml.load(yaml_text(value), yaml.CSafeLoader) == value


@given(st.dictionaries(st.text(), st.text() | st.booleans()))
def test_what_is_written_can_be_read_here_too(value):
    assert read_yaml(yaml_text(value), "f").value == value


def test_keys_keep_their_order_below_the_comment():
    assert yaml_text({"b": 1, "a": [2]}, ("one", "two")) == "# one\n# two\nb: 1\na:\n- 2\n"


def test_a_value_that_stands_twice_is_written_twice():
    shared = {"a": 1}
    assert yaml_text([shared, shared]) == "- a: 1\n- a: 1\n"


def test_compact_yaml_is_the_same_value_with_its_short_members_in_a_line_each():
    value = {"A": [{"a": 1, "b": ["c", {"d": "e"}]}, {"f": "8"}], "B": "two\nlines\n", "C": [], "long": ["x" * 300]}
    text = compact_yaml(value)
    assert yaml.safe_load(text) == value
    assert text.startswith("A:\n- {a: 1, b: [c, {d: e}]}\n- {f: '8'}\nB: |\n  two\n  lines\nC: []\nlong:\n- ")
