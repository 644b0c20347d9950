from __future__ import annotations

import random
import re
from collections.abc import Mapping

import pytest
import re2  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from tests.diagnose.scanning.known import known
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.scanning.patterns import Patterns, with_any_digits

PATTERNS = {
    "plain": "ab",
    "class": "[^ ]b",
    "repeat": "a[^x]*c",
    "begin": "^b",
    "end": "c$",
    "space": r"a\sb",
    "or": "ac|bb",
}
LINES = st.lists(st.text("abc x", max_size=8), max_size=12)


DIGITS = {
    "one": "a1",
    "some": "[1-3]b",
    "not": "[^2]b",
    "many": "[0-9]{2}b?",
    "any": r"a\d",
    "end": "0+$",
    "count": "(?:ab){1,2}",
    "escape": r"\x31b",
    "group": "(?P<part2>a)b",
}
LINES_OF_DIGITS = st.lists(st.text("ab0123", max_size=5), max_size=40)
KINDS = Patterns(known(DIGITS))


class SilentFilter(re2.Filter):  # type: ignore[misc]
    """One without the memory that it needs."""

    def Match(self, text: bytes, potential: bool = False) -> None:  # noqa: FBT001, FBT002, N802  as RE2 has it
        """Find nothing."""


def by_line(lines: list[str], expressions: Mapping[str, str] = PATTERNS) -> dict[int, set[str]]:
    every = {at: {name for name, one in expressions.items() if re.search(one, line)} for at, line in enumerate(lines)}
    return {at: names for at, names in every.items() if names}


def by_block(patterns: Patterns, lines: list[str]) -> dict[int, set[str]]:
    block = "".join(f"{line}\n" for line in lines).encode()
    return {line.number: set(line.ids) for line in patterns.lines(block)}


WHOLE = Patterns(known(PATTERNS))
# As little memory as compiles: RE2 forgets its automaton all the time, or goes on without one.
STARVED = Patterns(known(PATTERNS), memory_bytes=8000)


@given(LINES)
def test_what_is_found_in_blocks_is_what_single_lines_have(lines: list[str]):
    assert by_block(WHOLE, lines) == by_line(lines)


@given(LINES_OF_DIGITS)
def test_what_is_remembered_of_a_line_holds_for_those_with_other_digits(lines: list[str]):
    assert by_block(KINDS, lines) == by_line(lines, DIGITS)


@given(st.sampled_from([*DIGITS.values()]), st.text("ab0123", max_size=5), st.randoms(use_true_random=False))
def test_a_pattern_with_any_digits_finds_all_lines_that_differ_in_digits_alone(
    pattern: str, line: str, drawn: random.Random
):
    other = re.sub("[0-9]", lambda _: drawn.choice("0123456789"), line)
    wide = with_any_digits(pattern)
    assert bool(re.search(wide, line)) == bool(re.search(wide, other))
    assert re.search(wide, other) or not re.search(pattern, line)


@pytest.mark.parametrize("line", [
    b"ab at 0x3bed8de4ab47 (window 0xf3b2b1e1885)",
    b"ab at 0x33333333333",
    b"i-0550525b252019478 is gone",
    b"i-0550525b252019479 is gone",
    b"9 bytes at 0x7f31000000ff",
    b"size 0x3bed8de4: 7",
    b"size 0x33333333: 7",
])  # fmt: skip
def test_lines_with_other_addresses_are_found_by_the_same_patterns(line: bytes):
    expressions = {"any": "ab .*window", "id": "i-0550525b252019478 is", "digits": r"size 0x\d+: ", "one": "9 bytes"}
    patterns = Patterns(known(expressions))
    patterns.of_line(b"ab at 0x7f8a9c0d1e2f (window 0xa00000000ff)")
    patterns.of_line(b"i-0550525b252019470 is gone")
    patterns.of_line(b"size 0x0f0f0f0f: 7")
    found = tuple(name for name, one in expressions.items() if re.search(one.encode(), line))
    assert patterns.of_line(line) == found
    assert [one.ids for one in patterns.lines(line)] == [found] * bool(found)


def test_lines_that_differ_in_addresses_are_of_one_kind():
    patterns = Patterns(known(PATTERNS))
    for number in range(1000):
        patterns.of_line(b"ab at 0x%012x" % (number * 0x9E3779B97F4A))
    assert len(patterns._kinds) < 10


def test_where_a_long_line_is_found_is_where_the_first_pattern_finds_something():
    line = b"x" * 600 + b" bb" + b" " * 300 + b"ac"
    assert [one.at for one in WHOLE.lines(line)] == [601]


def test_no_more_kinds_are_remembered_than_have_their_place():
    patterns = Patterns(known({"one": "a1"}), most_kinds=2)
    lines = [b"a1", b"a1b", b"a1c", b"a1d", b"a2", b"a1"]
    assert [patterns.of_line(line) for line in lines] == [("one",)] * 4 + [(), ("one",)]
    assert len(patterns._kinds) <= 2 >= len(patterns._former_kinds)


def test_lines_behind_others_that_are_found_are_counted():
    lines = ["ab", *["x"] * 30, "cc", *["x"] * 30, "a b", "", "x", "ab"]
    assert by_block(WHOLE, lines * 2) == by_line(lines * 2)


@given(LINES)
def test_nothing_is_missed_where_memory_is_short(lines: list[str]):
    assert by_block(STARVED, lines) == by_line(lines)


def test_a_filter_that_gives_up_is_not_used():
    patterns = Patterns(known(PATTERNS), new_filter=SilentFilter)
    assert patterns.of_line(b"b acb") == WHOLE.of_line(b"b acb") != ()


def test_a_line_may_hold_the_word_that_the_filter_is_tried_with():
    assert WHOLE.of_line(b"trainyard\x00filter ab") == ("plain", "class")


def test_all_signatures_are_found_together_as_each_by_itself():
    every = signatures()
    patterns = Patterns(every)
    for name, (signature, _) in every.items():
        for line in signature.matches:
            block = f"before\n{line}\nbehind\n".encode()
            assert any(name in found.ids for found in patterns.lines(block)), (name, line)


def test_all_signatures_find_the_same_by_the_filter_as_one_by_one():
    every = signatures()
    patterns = Patterns(every)
    single = {name: re2.compile(f"(?m:{signature.expression})") for name, (signature, _) in every.items()}
    lines = [line for signature, _ in every.values() for line in (*signature.matches[:1], *signature.resembles[:1])]
    for line in lines[::7]:
        assert patterns.of_line(line.encode()) == tuple(name for name, one in single.items() if one.search(line)), line


def test_no_signatures_find_nothing():
    assert not list(Patterns({}).lines(b"a\n"))
