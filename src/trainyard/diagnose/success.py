"""What says that something works which had failed before, as data: successes.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.diagnose.cause import Cause, Hit

_FILE = Path(__file__).with_name("successes.yaml")


@dataclass(frozen=True, slots=True)
class Success:
    """What a line looks like that ends a failure."""

    id: str
    pattern: str
    """In RE2's syntax."""
    logs: tuple[str, ...]
    """The kinds of logs where it means this."""
    causes: tuple[str, ...]
    """What had failed before it in the same log is over."""
    subjects: tuple[str, ...]
    """Of these, what says itself that it is tried again is over."""
    matches: tuple[str, ...]
    resembles: tuple[str, ...]
    same: str = ""
    """A pattern of Python's; what its group finds in a failure has to stand in the success too. Empty: any success."""
    unnamed_lines: int = 0
    """How many lines before it a failure of which `same` finds nothing may stand to be over, too; 0: it is not."""
    whole_subjects: tuple[str, ...] = ()
    """All that had failed of these is over, whether it says that it is tried again or not."""

    def is_about(self, failure: Hit, success: Hit) -> bool:
        """Return whether a line of a success speaks of what the line of a failure does."""
        if not self.same:
            return True
        failed, works = _named(self.same, failure.text), _named(self.same, success.text)
        return success.line - failure.line <= self.unnamed_lines if failed is None else failed == works

    def concerns(self, cause: Cause) -> bool:
        """Return whether it can end a failure of this cause."""
        return cause.severity != "harmless" and (self.ends(cause) or cause.subject in self.subjects)

    def ends(self, cause: Cause) -> bool:
        """Return whether it ends a failure of this cause that does not say that it is tried again."""
        return cause.id in self.causes or cause.subject in self.whole_subjects


@cache
def successes() -> Mapping[str, Success]:
    """Return all of them by id."""
    content: list[dict[str, Any]] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return {entry["id"]: Success(**{key: _value(value) for key, value in entry.items()}) for entry in content}


def _named(pattern: str, line: str) -> str | None:
    """Return what the first group finds that finds anything."""
    found = re.search(pattern, line)
    return next((group for group in found.groups() if group), None) if found else None


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
