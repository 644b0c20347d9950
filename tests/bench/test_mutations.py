"""Whatever becomes of a log on its way, no row is read that nobody measured."""

from __future__ import annotations

from itertools import zip_longest

from hypothesis import given
from hypothesis import strategies as st

from tests.bench.texts import whole
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Row

TEXT = whole(log=True)
LINES = TEXT.splitlines(keepends=True)
MEASURED = {row._replace(line=0) for run in parse_log([TEXT]) for row in run.rows}
NOISE = st.sampled_from(
    [
        b"p5-dy-1:1:1 [0] NCCL INFO Trees [0] 1/8/-1->0->-1\n",
        "größer als 8 2 float\n".encode(),
        b"\x1b[31mwarning\x1b[0m 12 13 14\n",
        b"0: \n",
        b"\xff\xfe\x00\n",
        b"step 8192 2048 float loss 0.12 0.13 0.14 0.15\n",
    ]
)


def invented(text: bytes) -> set[Row]:
    return {row._replace(line=0) for run in parse_log([text]) for row in run.rows} - MEASURED


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_a_log_that_is_cut_at_either_end_has_no_row_too_many(begin: int, end: int):
    assert invented(TEXT[min(begin, end) : max(begin, end)]) == set()


@given(st.lists(st.tuples(st.integers(0, len(LINES)), NOISE), max_size=20))
def test_other_lines_in_between_add_no_row_and_take_none(noise: list[tuple[int, bytes]]):
    lines = list(LINES)
    for at, line in noise:
        lines.insert(at, line)
    text = b"".join(lines)
    assert invented(text) == set()
    assert sum(len(run.rows) for run in parse_log([text])) == len(MEASURED)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=40))
def test_lines_in_any_order_add_no_row(lines: list[bytes]):
    assert invented(b"".join(lines)) == set()


@given(st.lists(st.integers(1, 3), min_size=len(LINES), max_size=len(LINES)))
def test_lines_that_are_repeated_count_once(counts: list[int]):
    text = b"".join(line * count for line, count in zip(LINES, counts, strict=True))
    assert sum(len(run.rows) for run in parse_log([text])) == len(MEASURED)


def test_lines_of_windows_are_lines():
    assert invented(TEXT.replace(b"\n", b"\r\n")) == set()
    assert sum(len(run.rows) for run in parse_log([TEXT.replace(b"\n", b"\r\n")])) == len(MEASURED)


@given(st.binary(max_size=300))
def test_two_outputs_line_by_line_in_turn_add_no_row(other: bytes):
    pairs = zip_longest(LINES, other.splitlines(keepends=True), fillvalue=b"")
    assert invented(b"".join(one for pair in pairs for one in pair)) == set()


@given(st.binary(max_size=2000))
def test_any_bytes_are_read_without_an_error(text: bytes):
    parse_log([text])


@given(st.text(max_size=500))
def test_any_text_after_a_table_changes_no_row(text: str):
    assert invented(TEXT + text.encode()) == set()
