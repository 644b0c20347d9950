"""A spec that is being put together from another file: its plain data, and where each part of it came from."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from trainyard.finding import Path
from trainyard.rules.parallelcluster.placeholders import placeholder_in


class Draft:
    """Plain data of a spec with, for each path, the one in the file that it was read from."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.data: dict[str, Any] = {}
        self.places: dict[Path, Path] = {}
        self.unknown: set[Path] = set()
        """What something had to stand for because the file does not say it: nothing follows from it."""

    def put(self, path: Path, place: Path, value: Any) -> None:
        """Add a value. What is a placeholder, or has none, is left out."""
        if value is None or placeholder_in(value) is not None:
            self.unknown.add(path)
            return
        self.stand(path, value)
        self.places[path] = place

    def stand(self, path: Path, value: Any) -> None:
        """Add a value that the file does not have."""
        holder: Any = self.data
        for step, following in pairwise(path):
            empty: Any = [] if isinstance(following, int) else {}
            if isinstance(holder, dict):
                holder = holder.setdefault(step, empty)
            else:
                holder.extend([empty] * (int(step) == len(holder)))
                holder = holder[int(step)]
        if isinstance(holder, dict):
            holder[path[-1]] = value
        else:
            holder.append(value)

    def place(self, path: Path, place: Path) -> None:
        """Note where a section comes from."""
        self.places[path] = place
