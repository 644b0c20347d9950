"""Versions as versions: 2.9 is older than 2.10, and 1.9.1-aws is 1.9.1."""

from __future__ import annotations

import re

Version = tuple[int, ...]
_PARTS = re.compile(r"v?(\d+(?:\.\d+)*)")
_BOUND = re.compile(r"(>=|<)(.+)")


def version(text: str) -> Version | None:
    """Return the numbers that a version begins with, without zeros at its end; None where it begins with none."""
    found = _PARTS.match(text.strip())
    if found is None:
        return None
    parts = [int(part) for part in found[1].split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def within(text: str, bound: str) -> bool:
    """Return whether a version keeps to a bound such as >=2.19 or <1.29; what is no version keeps to none.

    Raises ValueError where the bound is none.
    """
    found = _BOUND.fullmatch(bound)
    limit = None if found is None else version(found[2])
    if found is None or limit is None:
        raise ValueError(f"{bound} is no bound")
    own = version(text)
    return own is not None and (own >= limit if found[1] == ">=" else own < limit)
