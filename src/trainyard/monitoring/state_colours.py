"""The colour of a word for a state, the same wherever it stands: see state_colours.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml


def state_colour(text: str) -> str:
    """Return the colour of a text that is a state, with or without Slurm's sign behind it; nothing where it is none."""
    return state_colours().get(text.rstrip("*~#%$@^!-"), "")


@cache
def state_colours() -> dict[str, str]:
    """Return the colours of all words, the worst first."""
    text = Path(__file__).with_name("state_colours.yaml").read_bytes()
    content: dict[str, list[str]] = yaml.load(text, Loader=yaml.CSafeLoader)
    return {word: colour for colour, words in content.items() for word in words}
