from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainyard.render.diagram.text_width import Type, printable, shorten, text_width, wrap

LETTERS = Type(12)


@given(st.text(max_size=60), st.floats(30, 400))
def test_shortened_text_fits(text: str, width: float):
    assert text_width(shorten(text, LETTERS, width), LETTERS) <= width


@given(st.text(max_size=200), st.floats(30, 400), st.integers(1, 4))
def test_wrapped_text_fits_and_has_no_more_lines_than_allowed(text: str, width: float, most_lines: int):
    lines = wrap(text, LETTERS, width, most_lines)
    assert len(lines) <= most_lines
    assert all(text_width(line, LETTERS) <= width for line in lines)


def test_text_that_fits_is_left_alone():
    assert shorten("a name", LETTERS, 200) == "a name"
    assert wrap("a name", LETTERS, 200) == ("a name",)


def test_lines_break_between_words_and_long_words_anywhere():
    assert wrap("one two", LETTERS, 30) == ("one", "two")
    assert "".join(wrap("a" * 20, LETTERS, 100, 3)) == "a" * 20


def test_bold_letters_are_wider():
    assert text_width("abc", Type(12, bold=True)) > text_width("abc", LETTERS)


def test_characters_that_xml_refuses_or_that_turn_writing_around_are_replaced():
    assert printable("a\x00b\u202ec\ud800d<&") == "a\ufffdb\ufffdc\ufffdd<&"
