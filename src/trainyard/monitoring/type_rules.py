"""What an instance type has, recorded for those that a cluster runs: GPUs and line rates, which panels compare with.

Prometheus knows of a node what it sends, and not what it could send; the catalog does.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find, researched_names

GPUS, EFA, NVLINK = "type:gpus:max", "type:efa_bits_per_second:max", "type:nvlink_bytes_per_second:max"
TYPE_LABELS = ("cluster", "instance_type")
"""Those of each series."""


def type_rules() -> list[dict[str, str]]:
    """Return a rule for each fact. Types that no target has make no series."""
    named: dict[str, dict[int, list[str]]] = {record: {} for record in (GPUS, EFA, NVLINK)}
    for name in researched_names():
        if (type_ := find(name)) is not None:
            for record, value in _facts(type_):
                named[record].setdefault(value, []).append(name)
    return [
        {"record": record, "expr": " or ".join(map(_of_types, *zip(*values.items(), strict=True)))}
        for record, values in named.items()
    ]


def _of_types(value: int, names: list[str]) -> str:
    return f'{value:.10g} * group by ({", ".join(TYPE_LABELS)}) (up{{instance_type=~"{"|".join(names)}"}})'


def _facts(type_: InstanceType) -> Iterator[tuple[str, int]]:
    """Yield what is known of a type: bits a second each way over EFA, and bytes a second both ways over NVLink."""
    gpus = type_.accelerators.count if type_.accelerators and type_.accelerators.vendor == "nvidia" else 0
    if gpus:
        yield GPUS, gpus
    if type_.efa_gbit_s:
        yield EFA, type_.efa_gbit_s * 10**9
    if type_.nvlink_gb_s_bidirectional:
        yield NVLINK, type_.nvlink_gb_s_bidirectional * 10**9 * gpus
