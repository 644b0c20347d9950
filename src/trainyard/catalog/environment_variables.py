"""The environment variables that NCCL, its plugin for EFA and libfabric read, by tools/environment_variables.py."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog.catalog_file import FOLDER, json_content


@cache
def variables_by_prefix() -> Mapping[str, frozenset[str]]:
    """Return the variables that any release reads, by what their names begin with: NCCL_, OFI_NCCL_ and FI_EFA_."""
    data = json_content(FOLDER / "environment_variables.json")["variables"]
    return {prefix: frozenset(names) for prefix, names in data.items()}
