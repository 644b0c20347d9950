"""What the reference architectures can do, and what the catalog says of the types that they and others are made of."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.architectures import all_architectures
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find, names
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

_COLUMNS = (
    "GPUs or accelerators",
    "Memory of one",
    "NVLink, bidirectional",
    "EFA",
    "EFA interfaces",
    "Bought as",
)


def capability_rows() -> str:
    """Return the table of the architectures: users, accounting, monitoring and what else they have as they are."""
    rows = [
        "| Architecture | Platform | Several users | Accounting | Monitoring | Containers on nodes | Login nodes |",
        "|---|---|---|---|---|---|---|",
    ]
    for architecture in all_architectures():
        spec = parse(architecture.text, architecture.name).spec
        rows.append(f"| `{architecture.name}` | {platform_of(spec).title} | {' | '.join(_capabilities(spec))} |")
    return "\n".join(rows)


def accelerated_types() -> str:
    """Return the table of the instance types with accelerators."""
    rows = [f"| Type | {' | '.join(_COLUMNS)} |", f"|---{'|---' * len(_COLUMNS)}|"]
    for name in names():
        facts = find(name)
        if facts is not None and facts.accelerators is not None:
            rows.append(f"| `{name}` | {' | '.join(_facts(facts))} |")
    return "\n".join(rows)


def head_node_types() -> str:
    """Return the table of the types that the architectures have for head, login and system nodes, with their size."""
    rows = ["| Type | vCPUs | Memory | Where |", "|---|---|---|---|"]
    uses: dict[str, list[str]] = {}
    for architecture in all_architectures():
        spec = parse(architecture.text, architecture.name).spec
        for name, role in _other_nodes(spec):
            uses.setdefault(name, []).append(role)
    for name, roles in sorted(uses.items()):
        facts = find(name)
        vcpus = "unknown" if facts is None or facts.vcpus is None else f"{facts.vcpus}"
        memory = "unknown" if facts is None or facts.memory_mib is None else f"{facts.memory_mib // 1024} GiB"
        rows.append(f"| `{name}` | {vcpus} | {memory} | {', '.join(dict.fromkeys(roles))} |")
    return "\n".join(rows)


def _other_nodes(spec: Spec) -> Iterator[tuple[str, str]]:
    if platform_of(spec).has_head_node:
        yield spec.head_node.instance_type, "head node"
        yield from ((pool.instance_type, "login nodes") for _, pool in spec.login_pools())
    if platform_of(spec).has_system_nodes:
        yield spec.eks.system_nodes.instance_type, "system nodes of EKS"


def _capabilities(spec: Spec) -> Iterator[str]:
    slurm, has_slurm = spec.parallelcluster.slurm, platform_of(spec).has_slurm
    yield ("yes" if spec.access.directory_service else "no") if has_slurm else "by AWS"
    yield ("yes" if slurm.accounting else "no") if has_slurm else "by AWS"
    yield "no" if spec.monitoring.mode == "none" else f"`{spec.monitoring.mode}`"
    yield ("yes" if spec.software.containers else "no") if has_slurm else "always"
    yield "yes" if any(True for _ in spec.login_pools()) else "no"


def _facts(facts: InstanceType) -> Iterator[str]:
    accelerators = facts.accelerators
    memory = facts.accelerator_memory_mib
    yield "unknown" if accelerators is None else f"{accelerators.count} × {accelerators.model}"
    yield "unknown" if memory is None else f"{memory / 1024:,.0f} GiB"
    yield "none" if facts.nvlink_gb_s_bidirectional is None else f"{facts.nvlink_gb_s_bidirectional:,} GB/s"
    yield "none" if not facts.efa_interfaces else "unknown" if not facts.efa_gbit_s else f"{facts.efa_gbit_s:,} Gbit/s"
    yield f"{facts.efa_interfaces or 0}"
    yield "unknown" if facts.usage_classes is None else ", ".join(facts.usage_classes)
