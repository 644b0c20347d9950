"""In which order the streams of a cluster are asked for: telling.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import yaml

from trainyard.diagnose.log_kind import kind_of
from trainyard.edge.aws.cluster_logs import LogStream

_FILE = Path(__file__).with_name("telling.yaml")


def telling_first(streams: Iterable[LogStream], most: int) -> Iterator[tuple[LogStream, ...]]:
    """Yield streams, the most telling first and of each kind the newest, not more than ``most`` at once."""
    places = _places()
    by_group: dict[int, list[tuple[int, LogStream]]] = {}
    for stream in streams:
        group, place = places.get(kind_of(stream.name) or "", (len(places), 0))
        by_group.setdefault(group, []).append((place, stream))
    for group in sorted(by_group):
        ordered = sorted(by_group[group], key=lambda one: (one[0], -(one[1].first_ms or 0), one[1].name))
        streams_of_group = tuple(stream for _, stream in ordered)
        yield from (streams_of_group[at : at + most] for at in range(0, len(streams_of_group), most))


@cache
def _places() -> dict[str, tuple[int, int]]:
    groups: list[list[str]] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)["groups"]
    return {kind: (group, place) for group, kinds in enumerate(groups) for place, kind in enumerate(kinds)}
