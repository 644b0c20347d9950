from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from trainyard.architectures import all_architectures
from trainyard.checking.explanation import explain_id
from trainyard.document.node import YamlNode
from trainyard.document.problems import MOST_CHARACTERS, MOST_FINDINGS
from trainyard.document.read import DEEPEST, LONGEST_NUMBER, MOST_VALUES, read_yaml
from trainyard.errors import DocumentError

TEXTS = [architecture.text for architecture in all_architectures()]
# What YAML means something by, so that random text comes near to being YAML.
ALPHABET = "ab01:-?[]{},&*!|>'\"%@`#<=~.+_ \n\t\r\\\0\x1b\x85\u2028\u202e\ufeff\ud800é😀"


def findings_of(text: str) -> list[tuple[str, int | None, int | None]]:
    with pytest.raises(DocumentError) as raised:
        read_yaml(text, "cluster.yaml")
    return [(finding.id, finding.line, finding.column) for finding in raised.value.findings]


@each_case(
    ("text", "id_", "line", "column"),
    [
        pytest.param("a: [1, 2\nb: 3", "yaml-syntax", 2, 2, id="an open bracket"),
        pytest.param("a: 'x", "yaml-syntax", 1, 4, id="an open quote"),
        pytest.param("a:\n  - [x\n", "yaml-syntax", 2, 5, id="an open bracket at the end"),
        pytest.param("a: b: c", "yaml-syntax", 1, 5, id="two colons"),
        pytest.param("%YAML 3.0\n---\na: 1", "yaml-syntax", 1, 1, id="another version of YAML"),
        pytest.param("a:\n\tb: 1", "yaml-tab", 2, 1, id="a tab as indentation"),
        pytest.param("é: 1\r\n\ta: 1", "yaml-tab", 2, 1, id="a tab after a Windows line end"),
        pytest.param("\ufeffa:\n\tb: 1", "yaml-tab", 2, 1, id="a tab after a byte order mark"),
        pytest.param("a: 1\nb: 2\na: 3", "yaml-duplicate-key", 3, 1, id="a key twice"),
        pytest.param('a: 1\n"a": 3', "yaml-duplicate-key", 2, 1, id="a key twice, once in quotes"),
        pytest.param("- {a: 1, a: 2}", "yaml-duplicate-key", 1, 10, id="a key twice in braces"),
        pytest.param("a: &a {b: 1}\n<<: *a\n<<: *a", "yaml-duplicate-key", 3, 1, id="two merges"),
        pytest.param("yes: 1", "yaml-key-not-text", 1, 1, id="a boolean key"),
        pytest.param("12: 1", "yaml-key-not-text", 1, 1, id="a number as key"),
        pytest.param("? [a]\n: 1", "yaml-key-not-text", 1, 3, id="a list as key"),
        pytest.param("a: !Ref b", "yaml-foreign-tag", 1, 4, id="a tag on text"),
        pytest.param("a: !Sub [b]", "yaml-foreign-tag", 1, 4, id="a tag on a list"),
        pytest.param("a: !!python/object/apply:os.system [ls]", "yaml-foreign-tag", 1, 4, id="a tag that runs code"),
        pytest.param("a: !!binary aGk=", "yaml-foreign-tag", 1, 4, id="binary"),
        pytest.param("a: !!map [b]", "yaml-foreign-tag", 1, 4, id="a list tagged as mapping"),
        pytest.param("a: !!str {b: c}", "yaml-foreign-tag", 1, 4, id="a mapping tagged as text"),
        pytest.param("a: !!merge b", "yaml-foreign-tag", 1, 4, id="text tagged as merge"),
        pytest.param("a: 2024-13-45", "yaml-bad-scalar", 1, 4, id="an impossible date"),
        pytest.param("a: !!int b", "yaml-bad-scalar", 1, 4, id="text tagged as number"),
        pytest.param("a: !!int ''", "yaml-bad-scalar", 1, 4, id="nothing tagged as number"),
        pytest.param("a: !!bool b", "yaml-bad-scalar", 1, 4, id="text tagged as boolean"),
        pytest.param("a: !!float ''", "yaml-bad-scalar", 1, 4, id="nothing tagged as float"),
        pytest.param("a: 0x_", "yaml-bad-scalar", 1, 4, id="a hexadecimal number without digits"),
        pytest.param(f"a: {'1' * (LONGEST_NUMBER + 1)}", "yaml-bad-scalar", 1, 4, id="a long number"),
        pytest.param("a: " + ":".join(["1"] * 300_000), "yaml-bad-scalar", 1, 4, id="a very long number to base 60"),
        pytest.param("a: =", "yaml-bad-scalar", 1, 4, id="an equals sign"),
        pytest.param("a: <<", "yaml-bad-scalar", 1, 4, id="a merge as value"),
        pytest.param("a: *b", "yaml-bad-alias", 1, 4, id="an alias of nothing"),
        pytest.param("a: &a [*a]", "yaml-bad-alias", 1, 8, id="an alias inside of what it names"),
        pytest.param("b: 1\n<<: 1", "yaml-bad-alias", 2, 1, id="a merge of a number"),
        pytest.param("a: 1\n---\nb: 2", "yaml-several-documents", 2, 1, id="a second document"),
        pytest.param("a: x\u2028\rb: [", "yaml-syntax", 2, 5, id="a line end that editors do not know"),
        pytest.param("é\n ab\0c", "yaml-unprintable", 2, 4, id="a null character"),
        pytest.param("a: é\x1b[31m", "yaml-unprintable", 1, 5, id="a terminal's escape character"),
        pytest.param("a: \x9b31m", "yaml-unprintable", 1, 4, id="a terminal's one-character escape"),
        pytest.param("a: \ud800", "yaml-unprintable", 1, 4, id="half a surrogate pair"),
        pytest.param("[" * (DEEPEST + 1), "yaml-too-deep", 1, DEEPEST + 1, id="many brackets"),
        pytest.param("- " * (DEEPEST + 1), "yaml-too-deep", 1, 2 * DEEPEST + 1, id="many dashes"),
    ],
)
def test_what_is_not_plain_yaml_is_refused_where_it_stands(text, id_, line, column):
    assert findings_of(text) == [(id_, line, column)]
    assert explain_id(id_).remedy


def test_all_problems_are_reported_at_once():
    assert findings_of("a: 1\na: 2\nyes: !x 3\nb: [1") == [
        ("yaml-duplicate-key", 2, 1),
        ("yaml-key-not-text", 3, 1),
        ("yaml-foreign-tag", 3, 6),
        ("yaml-syntax", 4, 4),
    ]


def test_a_password_in_a_key_that_stands_twice_is_not_repeated():
    with pytest.raises(DocumentError) as refusal:
        read_yaml("bob:hush@x: 1\nbob:hush@x: 2", "cluster.yaml")
    assert "hush" not in str([finding.message for finding in refusal.value.findings])


def test_no_more_problems_are_reported_than_anybody_reads():
    assert len(findings_of("".join(f"a{n}: !x 1\n" for n in range(2 * MOST_FINDINGS)))) == MOST_FINDINGS


def test_a_syntax_error_as_the_last_finding_that_is_reported_is_a_finding():
    text = "".join(f"a{n}: !x 1\n" for n in range(MOST_FINDINGS - 1))
    assert findings_of(text + "]")[-1] == ("yaml-syntax", MOST_FINDINGS, 1)


def bomb(first: str, of_ten: str) -> str:
    layers = (f"a{n}: &a{n} " + of_ten.format(*[f"*a{n - 1}"] * 10) for n in range(1, 12))
    return "\n".join([f"a0: &a0 {first}", *layers])


@pytest.mark.parametrize(
    "text",
    [
        bomb("[x]", "[{},{},{},{},{},{},{},{},{},{}]"),
        bomb("x", "{{a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}, j: {}}}"),
        bomb("{x: 1}", "{{<<: [{},{},{},{},{},{},{},{},{},{}]}}"),
        "a: &a [x]\nb: [" + "*a," * MOST_VALUES + "]",
    ],
    ids=["lists", "mappings", "merges", "one level"],
)
def test_aliases_that_multiply_are_refused(text):
    assert [id_ for id_, _, _ in findings_of(text)] == ["yaml-alias-bomb"]


def test_aliases_may_be_used_within_reason():
    text = "a: &a {b: 1}\nc: [*a, *a]\nd: {<<: *a, e: 2}"
    assert read_yaml(text, "f").value == {"a": {"b": 1}, "c": ({"b": 1}, {"b": 1}), "d": {"b": 1, "e": 2}}


def test_a_text_larger_than_any_spec_is_refused():
    assert findings_of("x" * (MOST_CHARACTERS + 1)) == [("file-too-large", None, None)]


def test_many_values_without_aliases_are_called_a_large_file_and_no_bomb():
    assert findings_of("[" + "a," * MOST_VALUES + "]") == [("file-too-large", 1, 2 * MOST_VALUES)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment", None),
        ("a: yes", {"a": True}),
        ("a: 'yes'", {"a": "yes"}),
        ("a: 010", {"a": 8}),
        ("a: 1e3", {"a": "1e3"}),
        ("a: 2024-01-02", {"a": "2024-01-02"}),
        ("a: 2024-01-02 03:04:05Z", {"a": "2024-01-02T03:04:05+00:00"}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: &b 1\nc: *b", {"a": 1, "c": 1}),
        ("&a b: *a", {"b": "b"}),
        ('a: "\\0\\e"', {"a": "\0\x1b"}),
    ],
)
def test_values_mean_what_they_mean_to_parallelcluster_and_dates_are_text(text, value):
    assert read_yaml(text, "f").value == value


def test_written_keys_win_over_merged_ones_and_earlier_merges_over_later_ones():
    text = "a: &a {x: 1, y: 1, z: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*b, *a], x: 3}"
    assert read_yaml(text, "f").value["c"] == yaml.safe_load(text)["c"] == {"x": 3, "y": 2, "z": 1}


def test_a_value_stands_at_its_key_and_a_list_member_at_itself():
    document = read_yaml("a:\n  b: 1\n  c: [x,\n    y]\n", "f")
    places = [document.place(path) for path in [(), ("a",), ("a", "b"), ("a", "c", 1)]]
    assert [(place.line, place.column) for place in places] == [(1, 1), (1, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("path", [("a", "z"), ("a", "b", "z"), ("a", 0), ("a", "c", 9), ("a", "c", "0")], ids=str)
def test_what_was_not_written_stands_where_its_nearest_parent_does(path):
    document = read_yaml("x: 1\na:\n  b: 1\n  c: [x]\n", "f")
    parent = {"b": 3, "c": 4}.get(str(path[1]), 2) if len(path) == 3 else 2
    assert document.place(path).line == parent


def plain(value: Any) -> Any:
    """Return a value with its dates as text and its lists as tuples, as this reader gives them."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return tuple(plain(member) for member in value)
    if isinstance(value, float) and math.isnan(value):
        return "not a number"
    return value.isoformat() if hasattr(value, "isoformat") else value


def places_of(node: YamlNode) -> Iterator[tuple[int | None, int | None]]:
    yield node.place.line, node.place.column
    for member in node.members.values() if isinstance(node.members, Mapping) else node.members:
        yield from places_of(member)


def assert_reads_as_safe_load_does(text: str) -> None:
    try:
        document = read_yaml(text, "f")
    except DocumentError as error:
        places = [(finding.line, finding.column) for finding in error.findings]
    else:
        places = list(places_of(document.root))
        # Anchors may be used again, as YAML permits and PyYAML does not.
        if text.count("&") < 2:
            assert plain(document.value) == plain(yaml.load(text, yaml.CSafeLoader))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(line and column and column <= len(lines[line - 1]) + 1 for line, column in places)


@given(st.text(ALPHABET) | st.text())
def test_any_text_is_read_as_safe_load_reads_it_or_refused_with_places_in_the_text(text):
    assert_reads_as_safe_load_does(text)


@given(st.data())
def test_a_damaged_spec_is_read_as_safe_load_reads_it_or_refused_with_places_in_the_text(data):
    text = data.draw(st.sampled_from(TEXTS))
    start = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, 30))
    assert_reads_as_safe_load_does(text[:start] + data.draw(st.text(ALPHABET, max_size=5)) + text[start + removed :])
