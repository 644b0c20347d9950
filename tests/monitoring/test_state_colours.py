"""States have colours that mean something."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from trainyard.monitoring import state_colours as module
from trainyard.monitoring.state_colours import state_colour, state_colours


@pytest.mark.parametrize(
    ("text", "colour"),
    [("drained*", "orange"), ("idle~", "green"), ("failed", "red"), ("down", "red"), ("p5", ""), ("", "")],
)
def test_a_state_has_its_colour_with_or_without_slurms_sign(text: str, colour: str):
    assert state_colour(text) == colour


def test_no_word_has_two_colours():
    content = yaml.safe_load(Path(module.__file__).with_suffix(".yaml").read_bytes())
    words = [word for listed in content.values() for word in listed]
    assert sorted(set(words)) == sorted(words)
    assert set(state_colours()) == set(words)
