"""EC2 Image Builder: what CloudFormation has made in it, which moto does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEFINITIONS: dict[str, Mapping[str, Any]] = {}
"""What each recipe, component and configuration says, by its ARN."""


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return what exists."""
    return {"Image Builder": [arn for arn in DEFINITIONS if arn.split(":")[3:5] == [region, account_id]]}
