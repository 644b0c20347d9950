"""Ids of subnets in place of placeholders and of what is none, which no spec can have and every spec needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainyard.rules.parallelcluster.placeholders import placeholder_in

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
_SUBNET = re.compile(r"subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})")
UNKNOWN_VPC = "vpc-00000000"
"""Stands for the VPC, which no configuration names."""


def with_subnets(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a configuration with ids of subnets for placeholders, and which placeholder each id stands for.

    A region that is a placeholder is left out: whoever adopts says which it is.
    """
    ids: dict[str, str] = {}
    changed = {key: _changed(value, key, ids) for key, value in config.items()}
    if placeholder_in(changed.get("Region")) is not None:
        del changed["Region"]
    return changed, {id_: placeholder for placeholder, id_ in ids.items()}


def _changed(value: Any, key: str, ids: dict[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {inner: _changed(member, inner, ids) for inner, member in value.items()}
    if isinstance(value, list):
        return [_changed(member, key, ids) for member in value]
    if key in ("SubnetId", "SubnetIds") and isinstance(value, str) and not _SUBNET.fullmatch(value):
        return ids.setdefault(value, f"subnet-{len(ids) + 1:08d}")
    return value
