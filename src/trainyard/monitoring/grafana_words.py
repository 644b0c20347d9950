"""What Grafana calls our units, how it finds the values of our variables, and where it asks."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from grafana_foundation_sdk.models import dashboard as models

SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
LOG_SOURCE = models.DataSourceRef(type_val="cloudwatch", uid="${log_source}")
ALL_VALUES = models.VariableOption(selected=True, text=["All"], value=["$__all"])


@cache
def grafana_words() -> dict[str, Any]:
    """Return the content of grafana_words.yaml."""
    content: dict[str, Any] = yaml.load(Path(__file__).with_suffix(".yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return content
