"""The two lists at the end of every rehearsal: what it proved, and what only AWS can tell."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.rehearsal.report.conditions import conditions
from trainyard.spec.cluster import Spec


def proved_claims(spec: Spec, reached: Collection[str]) -> list[str]:
    """Return what a rehearsal of a spec proved that came as far as it did, each claim with its source at the end.

    It has come as far as "checked", "deployed" and "destroyed", or a real program passed something: "eksctl_schema".
    """
    return [_claim(entry) for entry in _applying("proved.yaml", spec) if entry["after"] in reached]


def only_aws_can_tell(spec: Spec, reached: Collection[str] = ()) -> list[str]:
    """Return what no rehearsal of a spec can know that came as far as it did, each with its source at the end."""
    every = _applying("only_aws_can_tell.yaml", spec)
    return [_claim(entry) for entry in every if entry.get("unless") not in reached]


def _applying(file: str, spec: Spec) -> list[dict[str, str]]:
    holding = conditions(spec)
    return [entry for entry in entries(file) if "when" not in entry or entry["when"] in holding]


def _claim(entry: dict[str, str]) -> str:
    return f"{entry['text']} ({entry['source']})"


@cache
def entries(file: str) -> list[dict[str, Any]]:
    """Return the entries of one of the two lists, whatever they apply to."""
    with Path(__file__).with_name(file).open("rb") as opened:
        all_entries: list[dict[str, Any]] = yaml.load(opened, Loader=yaml.CSafeLoader)
    return all_entries
