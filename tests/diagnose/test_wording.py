"""Signatures find what other versions of a program say."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.diagnose.found import matches_pattern
from tests.diagnose.mutations import MUTATIONS, outcomes
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.wording import widened

LEAST_FOUND = 0.9
"""Of the lines of each mutation: examples of all signatures, each changed in one way."""


@pytest.mark.parametrize(("pattern", "line"), [
    (r"error: Unable to open \w+", "error: _open_it: Failed to open the file"),
    ("could not be mounted", "cannot be mounted"),
    ("device was not found", "device is not found"),
    ("it does not start", "it doesn't start"),
    ("mount failed", "mount has failed"),
    ("file 'a' gone", 'file "a" gone'),
    ("node is not ready", "node was still not ready"),
    ("a: Socket is gone", "a:  socket is gone"),
])  # fmt: skip
def test_a_pattern_finds_the_same_in_other_words(pattern: str, line: str):
    assert not matches_pattern(pattern, line)
    assert matches_pattern(widened(pattern), line)


@pytest.mark.parametrize("pattern", ["failed[ ]to open", "(?:failed) to open", r"failed\x20to open", "fa?iled to open"])
def test_what_is_no_literal_text_stays_as_it_is(pattern: str):
    assert not matches_pattern(widened(pattern), "unable to open")
    assert matches_pattern(widened(pattern), "failed to open")


@pytest.mark.parametrize(("pattern", "line"), [
    ("failed to open", "able to open"), ("is not ready", "is ready"), ("does not start", "does start"),
    ("ab*: x", "a-: x"),
])  # fmt: skip
def test_a_pattern_does_not_find_the_opposite(pattern: str, line: str):
    assert not matches_pattern(widened(pattern), line)


@pytest.mark.exhaustive
def test_most_changed_examples_of_all_signatures_are_still_found():
    lines, found = Counter[str](), Counter[str]()
    for outcome in outcomes(list(signatures().values())):
        lines[outcome.mutation] += 1
        found[outcome.mutation] += outcome.is_found
    assert set(lines) == {mutation.id for mutation in MUTATIONS}
    assert {name: found[name] / lines[name] for name in lines if found[name] < LEAST_FOUND * lines[name]} == {}
