from __future__ import annotations

import base64
import random
import re

import pytest
import re2  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from trainyard.diagnose.cause import signatures
from trainyard.diagnose.scanning.block_pattern import block_pattern

ATOMS = ["a", "b", "ab", "c", r"\.", ".", "[ab]", "[^a]", "[a-c]", r"\b", "^", "$", r"\w", r"\d", "1", " "]
COUNTS = ["", "", "", "?", "*", "+", "*?", "+?", "??", "{2}", "{0,2}", "{1,9}", "{2,}"]
PLACES = [r"\b", "^", "$"]
REPEATED = [f"(?:{atom})" if atom == "ab" else atom for atom in ATOMS if atom not in PLACES]
COUNTED = st.tuples(st.sampled_from(REPEATED), st.sampled_from(COUNTS)).map("".join)
SIMPLE = st.one_of(COUNTED, st.sampled_from(PLACES))


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sequences = st.lists(inner, min_size=1, max_size=4).map("".join)
    alternatives = st.lists(sequences, min_size=1, max_size=3).map("|".join)
    opening = st.sampled_from(["(?:", "(", "(?:"])
    return st.tuples(opening, alternatives, st.sampled_from(COUNTS)).map(lambda one: f"{one[0]}{one[1]}){one[2]}")


PATTERNS = st.lists(st.recursive(SIMPLE, grouped, max_leaves=8), min_size=1, max_size=5).map("".join)


@given(st.lists(PATTERNS, min_size=1, max_size=3), st.lists(st.text("abc1. ", max_size=8), min_size=1, max_size=8))
def test_every_line_that_a_pattern_finds_is_found(patterns: list[str], lines: list[str]):
    part = re.compile(block_pattern(patterns))
    for line in lines:
        assert part.search(line) or not any(re.search(one, line) for one in patterns)


@pytest.mark.parametrize(("pattern", "part"), [
    ("failed to [a-z]+ the device", "[a-z] the device"),
    ("Xid .*: 79,", "Xid "),
    ("(?:is|was) not (?:found|there)", "(?:is|was)(?: not (?:found|there))"),
    ("in (?:[a-z]+ unknown|no) state", " state"),
    ("lost|[0-9]+ gone away", "[0-9] gone away|lost"),
    ("(?i:nfs) .*server", "(?:(?i:nfs) .*server)"),
    ("file [^ ]{1,80} is corrupt", "[^ ] is corrupt"),
])  # fmt: skip
def test_the_part_that_names_most_is_looked_for(pattern: str, part: str):
    assert block_pattern([pattern]) == part


def test_what_begins_alike_stands_together():
    patterns = ["(?:could|can) not open", "(?:could|can) not read", "lost"]
    assert block_pattern(patterns) == "(?:could|can)(?: not open| not read)|lost"


def test_all_signatures_find_their_lines_within_random_text_and_nothing_else_there():
    drawn = random.Random(28)
    noise = [base64.b64encode(drawn.randbytes(57)).decode() for _ in range(200)]
    part = re2.compile(f"(?m:{block_pattern(signature.expression for signature, _ in signatures().values())})")
    assert not part.search("\n".join(noise))
    for signature, _ in signatures().values():
        for line in signature.matches[:2]:
            match = part.search(f"{noise[0]}\n{line}\n{noise[1]}")
            assert match, line
            assert match.start() > len(noise[0])
