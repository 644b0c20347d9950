from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainyard.diagnose.scanning.pieces import pieces


@given(
    st.lists(st.binary(max_size=30).map(lambda one: one.replace(b"\r", b"x")), max_size=20),
    st.integers(1, 40),
    st.integers(0, 50),
)
def test_lines_and_their_numbers_are_those_of_the_whole(blocks: list[bytes], longest: int, least: int):
    data = b"".join(blocks)
    joined = b""
    for piece in pieces(blocks, longest, least):
        assert piece.line == joined.count(b"\n") + 1
        joined += piece.data[piece.repeated_bytes :]
    assert joined == data


@given(st.lists(st.binary(max_size=50), max_size=60))
def test_numbers_may_be_asked_for_late(blocks: list[bytes]):
    data = b"".join(blocks).replace(b"\r", b"")
    every = list(pieces([block.replace(b"\r", b"") for block in blocks], least_bytes=0))
    if every:
        assert every[-1].line == data[: len(data) - len(every[-1].data)].count(b"\n") + 1


def test_a_line_without_end_comes_in_pieces_that_overlap():
    every = list(pieces([b"x" * 1000] * 100, 3000, 0))
    assert max(len(piece.data) for piece in every) <= 4000
    assert {piece.line for piece in every} == {1}
    assert all(piece.repeated_bytes == 1500 for piece in every[1:])


def test_carriage_returns_at_the_ends_of_lines_are_taken_away():
    assert b"".join(piece.data for piece in pieces([b"a\r", b"\nb\rc\r\n"], least_bytes=0)) == b"a\nb\rc\n"
