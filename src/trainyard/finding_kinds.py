"""Kinds of findings as data: a findings.yaml beside whoever finds them says what each means, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from trainyard.finding import Finding, Severity


@cache
def kinds_beside(module: Path) -> Mapping[str, Mapping[str, str]]:
    """Return severity, title, rationale, remedy and source of each kind, by its id, from the file beside a module."""
    found: dict[str, dict[str, str]] = yaml.load(
        module.with_name("findings.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return found


def finding_of(  # noqa: PLR0913  what a finding has beyond its kind
    kinds: Mapping[str, Mapping[str, str]],
    id_: str,
    message: str,
    remedy: str | None = None,
    *,
    severity: Severity | None = None,
    file: str | None = None,
    path: str | None = None,
) -> Finding:
    """Return a finding of a kind. What is not said here is as the kind has it."""
    kind = kinds[id_]
    worst: Severity = kind["severity"]  # type: ignore[assignment]  # a test reads the file
    sentence = kind["remedy"].removesuffix(".")
    general = sentence[0].lower() + sentence[1:]
    return Finding(id_, severity or worst, message, remedy or general, kind["source"], file=file, path=path)
