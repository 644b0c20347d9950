"""What the last lines of progress say, whole or not."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from trainyard.training.run_progress import RunProgress, run_progress


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_the_last_step_its_loss_and_the_last_whole_checkpoint_are_told():
    text = lines(
        {"time": 1.0, "event": "start", "attempt": 2},
        {"time": 2.0, "step": 7, "step_seconds": 0.5, "loss": 3.25},
        {"time": 3.0, "event": "save_end", "step": 8},
        {"time": 4.0, "step": 8, "step_seconds": 0.7, "loss": "nan"},
        {"time": 5.0, "event": "save_begin", "step": 9},
    )
    found = run_progress('e":1}\n' + text + '{"time": 6.0, "st')
    assert (found.step, found.checkpoint, found.event, found.time, found.attempt) == (8, 8, "save_begin", 5.0, 2)
    assert found.loss != found.loss  # it is no number
    assert found.step_s == 0.7


def test_nothing_is_told_of_nothing():
    assert run_progress("") == run_progress("no line\n") == RunProgress()


@given(st.lists(st.dictionaries(st.sampled_from(["time", "step", "loss", "event", "step_seconds", "attempt"]),
                                st.none() | st.integers() | st.floats() | st.text() | st.just([]))))  # fmt: skip
def test_lines_of_any_shape_are_read(values: list[object]):
    run_progress(lines(*values))
