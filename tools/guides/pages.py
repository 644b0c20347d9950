"""The guides: texts with names of facts in them, which are looked up when `make generate` writes the pages.

A fact stands as ``{{kind name}}``. One that there is not is an error, so that no guide names what is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from guides.architecture_facts import accelerated_types, capability_rows, head_node_types
from guides.cluster_facts import log_rows, port_rows, user_rows
from guides.finding_facts import finding_link, finding_rows
from guides.monitoring_facts import cloudwatch_dashboard_rows, foreign_metric_rows
from guides.spec_facts import default_minutes, default_of, final_keys
from guides.timeout_facts import architecture_rows, own_default_minutes, seconds_of, step_rows
from guides.version_facts import conflict_rows, image_version_rows

FOLDER = Path(__file__).parent
_FACT = re.compile(r"\{\{(\S+)(?: ([^{}]+))?\}\}")


def guides() -> Mapping[str, str]:
    """Return the text of every guide by the name of its file."""
    files = sorted(FOLDER.glob("*.md"))
    return {file.name: filled(file.read_text(encoding="utf-8"), file.name) for file in files}


def filled(text: str, where: str) -> str:
    """Return a text with its facts filled in. Raises ValueError for a fact that there is not."""

    def fact(found: re.Match[str]) -> str:
        kind, name = found.groups()
        if kind not in _FACTS:
            raise ValueError(f"{where}: there is no kind of facts {kind!r}")
        try:
            return _FACTS[kind](name or "")
        except (KeyError, AttributeError) as error:
            raise ValueError(f"{where}: there is no {kind} {name!r}") from error

    return _FACT.sub(fact, text)


_FACTS: Mapping[str, Callable[[str], str]] = {
    "finding": finding_link,
    "checklist": finding_rows,
    "default": default_of,
    "minutes": default_minutes,
    "capabilities": lambda _: capability_rows(),
    "accelerated-types": lambda _: accelerated_types(),
    "head-node-types": lambda _: head_node_types(),
    "foreign-metrics": foreign_metric_rows,
    "cloudwatch-dashboards": cloudwatch_dashboard_rows,
    "final-keys": lambda _: final_keys(),
    "parallelcluster-minutes": own_default_minutes,
    "seconds": seconds_of,
    "steps": lambda _: step_rows(),
    "architectures": lambda _: architecture_rows(),
    "logs": lambda _: log_rows(),
    "ports": lambda _: port_rows(),
    "users": lambda _: user_rows(),
    "image-versions": lambda _: image_version_rows(),
    "version-conflicts": lambda _: conflict_rows(),
}
