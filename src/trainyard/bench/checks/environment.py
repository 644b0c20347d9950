"""Variables that are not needed or hurt: expectations/environment.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import yaml

from trainyard.bench.case import Case
from trainyard.bench.machine import FOLDER
from trainyard.finding import Finding


def check(case: Case) -> Iterator[Finding]:
    """Yield each that the log says was set."""
    for one in _variables():
        value = case.run.environment.get(one["name"])
        if value is not None and re.fullmatch(one.get("when", ".*"), value, re.DOTALL):
            yield case.finding("bench-setting-hurts", f"{one['name']} is set to {value[:80]!r}, which {one['why']}")


@cache
def _variables() -> list[dict[str, str]]:
    found: list[dict[str, str]] = yaml.load((FOLDER / "environment.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return found
