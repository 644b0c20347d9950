"""What a log service has taken apart is put together, and nothing else."""

from __future__ import annotations

import pytest

from trainyard.bench.program_text import whole_messages

TIME = b"2026-11-20T10:00:00.123456789Z"


def test_an_array_that_is_none_does_not_take_forever():
    block = b'"MESSAGE": [' + b"111" * 40 + b"x]"
    assert whole_messages(block) == block


def test_lines_keep_their_numbers_behind_an_array_over_many_lines():
    assert whole_messages(b'"MESSAGE" : [\n 104,\n 105\n ]\nnext') == b'"MESSAGE" : "hi"\n\n\n\nnext'


def test_a_message_may_end_with_a_comma():
    assert whole_messages(b'"MESSAGE":[104,105,]') == b'"MESSAGE":"hi"'


def test_parts_of_one_stream_are_put_together():
    block = b"%s stdout P one \n%s stdout F two\n" % (TIME, TIME)
    assert whole_messages(block) == b"%s stdout F one two\n\n" % TIME


@pytest.mark.parametrize(("first", "second"), [(b"stdout", b"stderr"), (b"stderr", b"stdout")])
def test_parts_of_two_streams_stay_apart(first: bytes, second: bytes):
    block = b"%s %s P one \n%s %s F two\n" % (TIME, first, TIME, second)
    assert whole_messages(block) == block
