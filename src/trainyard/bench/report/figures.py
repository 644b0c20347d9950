"""How a report writes sizes, bandwidths and shares."""

from __future__ import annotations

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(size_bytes: float) -> str:
    """Return a size in its largest whole unit, such as 16 GiB."""
    unit = 0
    while size_bytes >= 1024 and unit < len(_UNITS) - 1:
        size_bytes /= 1024
        unit += 1
    return f"{size_bytes:.4g} {_UNITS[unit]}"


def gb_s(value: float | None) -> str:
    """Return a bandwidth with three digits, and without its unit; nothing where there is none."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def microseconds(value: float) -> str:
    """Return a time in the unit that makes it short."""
    if value < 1000:
        return f"{value:.3g} µs"
    return f"{value / 1000:.3g} ms" if value < 1e6 else f"{value / 1e6:.3g} s"


def share(value: float | None) -> str:
    """Return a share in percent; nothing where there is none."""
    return "" if value is None else f"{value:.0%}"
