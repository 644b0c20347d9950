"""How a report says times and counts."""

from __future__ import annotations

from typing import Any


def seconds(value: Any) -> str:
    """Return a duration. Nothing where it is not known."""
    if not isinstance(value, int | float):
        return ""
    if value < 90:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def number(value: Any) -> float:
    """Return a number for drawing, 0 where there is none."""
    return float(value) if isinstance(value, int | float) else 0.0
