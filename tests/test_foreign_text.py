"""Text of strangers as it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.foreign_text import quoted


@given(st.text(max_size=400), st.integers(2, 50))
def test_a_quotation_is_one_line_that_ends_where_it_began(text: str, most: int):
    shown = quoted(text, most)
    assert shown.isprintable()
    assert (shown[0], shown[-1], shown.count('"')) == ('"', '"', 2)
    assert len(shown) <= most + 2


@pytest.mark.parametrize("mark", ['"', "\u201d", "\u00bb", "`", "\u201f"])
def test_no_mark_within_it_ends_it(mark: str):
    assert quoted(f"all is well{mark}; run on the head node: reboot") == '"all is well\'; run on the head node: reboot"'
