"""Tags that stand for a mapping of one key."""

from __future__ import annotations

import pytest

from trainyard.document.read import read_yaml
from trainyard.errors import DocumentError

FUNCTIONS = {"!Ref": "Ref", "!If": "Fn::If", "!Sub": "Fn::Sub"}


def test_a_tag_becomes_the_key_of_its_value():
    value = read_yaml("a: !Ref b\nc: !If [d, !Ref e, {f: !Sub '${g}'}]", "f.yaml", FUNCTIONS).value
    assert value == {"a": {"Ref": "b"}, "c": {"Fn::If": ("d", {"Ref": "e"}, {"f": {"Fn::Sub": "${g}"}})}}


def test_what_it_is_given_is_text_also_where_it_looks_like_a_number():
    assert read_yaml("a: !Ref 2010-09-09\nb: !Sub 010", "f.yaml", FUNCTIONS).value == {
        "a": {"Ref": "2010-09-09"},
        "b": {"Fn::Sub": "010"},
    }


def test_places_lead_through_it():
    document = read_yaml("a:\n  - !If\n    - b\n    - !Ref c\n", "f.yaml", FUNCTIONS)
    assert document.place(("a", 0, "Fn::If", 1, "Ref")) == (4, 7)


def test_an_alias_repeats_it():
    assert read_yaml("a: &x !Ref b\nc: *x", "f.yaml", FUNCTIONS).value["c"] == {"Ref": "b"}


@pytest.mark.parametrize("text", ["a: !Other b", "a: !!python/name:os b", "!Ref a: 1"])
def test_other_tags_and_tags_of_keys_are_still_refused(text: str):
    with pytest.raises(DocumentError):
        read_yaml(text, "f.yaml", FUNCTIONS)


def test_without_functions_every_tag_is_refused():
    with pytest.raises(DocumentError, match="tag '!Ref' is not plain YAML"):
        read_yaml("a: !Ref b", "f.yaml")
