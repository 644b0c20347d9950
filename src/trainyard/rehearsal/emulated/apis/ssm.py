"""Systems Manager's parameters: moto holds thousands of AWS's own besides, once one of them is asked for."""

from __future__ import annotations

import sys
from typing import Any

from moto.backends import get_backend


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the parameters that somebody made. To ask for all of them, page by page, would take a minute."""
    if "moto.ssm.models" not in sys.modules:
        return {}
    backend: Any = get_backend("ssm")
    regions = dict.get(backend, account_id, {})
    names = regions[region]._parameters if region in regions else ()  # noqa: SLF001  moto lists them with its own
    return {"SSM parameters": [name for name in names if not name.startswith("/aws/")]}
