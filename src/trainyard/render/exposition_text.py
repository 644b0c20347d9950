"""Metrics as text for Prometheus, such as the textfile collector of node_exporter reads.

https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def gauge(name: str, text: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    """Yield the lines of a gauge, each with its end; none without samples. A sample is its labels and its value."""
    values = dict(samples)  # Prometheus takes no sample twice
    if values:
        yield f"# HELP {name} {text}\n# TYPE {name} gauge\n"
    yield from (f"{name}{{{labels}}} {value:.15g}\n" for labels, value in values.items())


def label_value(value: object, longest: int) -> str:
    """Return the value of a label as it stands between its quotes, of so many characters at most."""
    return str(value).encode(errors="replace").decode()[:longest].translate(_ESCAPES)
