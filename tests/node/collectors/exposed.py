"""What an exposition says, read by Prometheus' own parser for Python."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

Labels = tuple[tuple[str, str], ...]


def exposed(text: str) -> dict[tuple[str, Labels], float]:
    """Return each sample by its name and labels. Raises where it is no exposition, or a sample is there twice."""
    found: dict[tuple[str, Labels], float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found, key
            found[key] = sample.value
    return found
