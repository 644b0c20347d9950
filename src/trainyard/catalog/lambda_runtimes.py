"""Until when AWS Lambda supports its runtimes. tools/lambda_runtimes.py makes the list."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import NamedTuple

from trainyard.catalog.catalog_file import FOLDER, json_content


class LambdaRuntime(NamedTuple):
    """The dates of a runtime, as far as they are known."""

    deprecated: date | None
    """From when on it gets no updates."""
    update_blocked: date | None
    """From when on functions of it can neither be made nor be changed."""


@cache
def lambda_runtimes() -> dict[str, LambdaRuntime]:
    """Return every runtime that the catalog knows."""
    return {
        name: LambdaRuntime(_date(dates, "deprecated"), _date(dates, "update_blocked")) for name, dates in _written()
    }


def lambda_runtimes_read() -> date:
    """Return the day on which the list was last compared with its source."""
    return date.fromisoformat(json_content(FOLDER / "lambda_runtimes.json")["sources"]["endoflife-lambda"]["read"])


def _written() -> tuple[tuple[str, dict[str, str]], ...]:
    return tuple(json_content(FOLDER / "lambda_runtimes.json")["runtimes"].items())


def _date(dates: dict[str, str], fact: str) -> date | None:
    return date.fromisoformat(dates[fact]) if fact in dates else None
