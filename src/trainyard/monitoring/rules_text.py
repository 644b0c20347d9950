"""The rules of Prometheus as they stand in every bundle, and what a workspace of Amazon's tells of its alerts.

They are the same for every cluster. `make generate` writes them once, because reading the alerts and writing YAML takes
a tenth of a rendering.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic_core import from_json

GRAFANA_URL = "${GrafanaUrl}"
"""What stands in alerts for the address of Grafana, without a slash at its end: so Fn::Sub knows it."""
COMPILED = Path(__file__).with_name("rules.json")
RulesText = Literal["alert-rules", "alertmanager", "recording-rules", "rules"]
"""The alerts alone, the definition of an Alertmanager, what is recorded, and alerts with what is recorded."""


def rules_file(grafana_url: str = "") -> str:
    """Return alerts with what is recorded, with links to Grafana, or paths in any where its address is unknown."""
    return rules_text("rules").replace(GRAFANA_URL, grafana_url)


def rules_text(name: RulesText) -> str:
    """Return one of the documents as YAML; Fn::Sub puts what stands in braces after a dollar sign."""
    return _texts()[name]


@cache
def _texts() -> dict[RulesText, str]:
    texts: dict[RulesText, str] = from_json(COMPILED.read_bytes())
    return texts
