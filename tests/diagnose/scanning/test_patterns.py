from __future__ import annotations

import re

import re2  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from tests.diagnose.scanning.known import known
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.scanning.patterns import Patterns

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


def by_line(lines: list[str]) -> dict[int, set[str]]:
    every = {at: {name for name, one in PATTERNS.items() if re.search(one, line)} for at, line in enumerate(lines)}
    return {at: names for at, names in every.items() if names}


def by_block(patterns: Patterns, lines: list[str]) -> dict[int, set[str]]:
    block = "".join(f"{line}\n" for line in lines).encode()
    return {
        block.count(b"\n", 0, start): set(patterns.of_line(block[start:end])) for start, end, _ in patterns.lines(block)
    }


WHOLE = Patterns(known(PATTERNS))
# As little memory as compiles: RE2 forgets its automaton all the time, or goes on without one.
STARVED = Patterns(known(PATTERNS), memory_bytes=8000, set_memory_bytes=4700)


@given(LINES)
def test_what_is_found_in_blocks_is_what_single_lines_have(lines: list[str]):
    assert by_block(WHOLE, lines) == by_line(lines)


@given(LINES)
def test_nothing_is_missed_where_memory_is_short(lines: list[str]):
    assert by_block(STARVED, lines) == by_line(lines)


def test_a_set_that_gives_up_is_asked_pattern_by_pattern():
    patterns = Patterns(known(PATTERNS))
    silent = re2.Set.SearchSet()
    silent.Add("what no line has")
    silent.Compile()
    patterns._set = silent
    assert patterns.of_line(b"b acb") == WHOLE.of_line(b"b acb") != ()


def test_all_signatures_are_found_together_as_each_by_itself():
    every = signatures()
    patterns = Patterns(every)
    for name, (signature, _) in every.items():
        for line in signature.matches:
            block = f"before\n{line}\nbehind\n".encode()
            found = [patterns.of_line(block[start:end]) for start, end, _ in patterns.lines(block)]
            assert any(name in ids for ids in found), (name, line)


def test_no_signatures_find_nothing():
    assert not list(Patterns({}).lines(b"a\n"))
