"""Quantities of Kubernetes as numbers: 250m of a processor, 512Mi of memory.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import re
from fractions import Fraction

_FACTORS = {
    "": Fraction(1), "m": Fraction(1, 1000), "k": Fraction(1000), "M": Fraction(10**6), "G": Fraction(10**9),
    "T": Fraction(10**12), "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
}  # fmt: skip
_FORM = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")


def number(quantity: str | float) -> Fraction:
    """Return a quantity as a number. Raises ValueError for what is none."""
    found = _FORM.fullmatch(str(quantity))
    if found is None:
        raise ValueError(f"{quantity!r} is no quantity")
    return Fraction(found[1]) * _FACTORS[found[2] or ""]


def added(*lists: dict[str, str | float]) -> dict[str, Fraction]:
    """Return the sums of lists of resources."""
    sums: dict[str, Fraction] = {}
    for resources in lists:
        for name, quantity in resources.items():
            sums[name] = sums.get(name, Fraction(0)) + number(quantity)
    return sums
