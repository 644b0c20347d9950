"""An exposition whose counters grow with time: values and rates are given, so that every run gives the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Line(NamedTuple):
    """A line: a comment, or a series with its value at the beginning and what it grows by."""

    text: str
    value: float | None = None
    rate_per_s: float = 0.0

    def at(self, elapsed_s: float) -> str:
        """Return it as it is so many seconds later."""
        if self.value is None:
            return self.text
        return f"{self.text} {self.value + self.rate_per_s * elapsed_s:.16g}"


def growing(exposition: str, rate_of: Callable[[str, str, float], float]) -> list[Line]:
    """Return the lines of an exposition; ``rate_of`` takes a sample's name, its labels as text, and its value."""
    lines = []
    for text in exposition.splitlines():
        if text.startswith("#"):
            lines.append(Line(text))
            continue
        series, _, value = text.rpartition(" ")
        name, _, labels = series.partition("{")
        lines.append(Line(series, float(value), rate_of(name, labels.rstrip("}"), float(value))))
    return lines


def counters(exposition: str) -> set[str]:
    """Return the names of those whose type says that they only grow, and of the parts of summaries and histograms."""
    typed = [line.split() for line in exposition.splitlines() if line.startswith("# TYPE ")]
    parts = {f"{one[2]}{end}" for one in typed if one[3] in {"summary", "histogram"} for end in ("_sum", "_count")}
    return {one[2] for one in typed if one[3] == "counter"} | parts


def text_at(lines: Iterable[Line], elapsed_s: float) -> str:
    """Return the exposition as it is so many seconds after the beginning."""
    return "".join(f"{line.at(elapsed_s)}\n" for line in lines)
