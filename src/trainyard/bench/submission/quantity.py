"""Amounts as Kubernetes writes them: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/."""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)(m|[kMGTPE]|[KMGTPE]i)?")
_DECIMAL = {"m": 1e-3, "k": 1e3, **{letter: 1e3 ** (power + 2) for power, letter in enumerate("MGTPE")}}
_BINARY = {f"{letter}i": 1024.0 ** (power + 1) for power, letter in enumerate("KMGTPE")}


def amount(written: object) -> float:
    """Return an amount in its own unit: processors, bytes or devices. What is none counts as nothing."""
    found = _AMOUNT.fullmatch(str(written))
    if found is None:
        return 0.0
    return float(found[1]) * ({**_DECIMAL, **_BINARY}[found[2]] if found[2] else 1.0)
