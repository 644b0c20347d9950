"""What can be wrong in the cluster or in what is around it, by name, as tests plant it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD, Node


@dataclass(frozen=True, slots=True)
class Faults:
    """What a planted fault changes; several can be put together."""

    closed: frozenset[tuple[int, int]] = frozenset()
    """Numbers of nodes and ports that nobody listens on."""
    silent: frozenset[tuple[int, int]] = frozenset()
    """Those that never answer, as behind a security group that lets nothing in."""
    untagged: frozenset[int] = frozenset()
    """Numbers of nodes whose kind is in no tag that Prometheus looks for."""
    alter: tuple[Callable[[Node, int, str], str], ...] = ()
    """What becomes of an exposition, by its node and port."""
    configure: tuple[Callable[[dict[str, Any]], None], ...] = ()
    """What becomes of the head node's configuration."""
    write_status: int | None = None
    """With which the one who should take the samples refuses them."""

    def and_(self, other: Faults) -> Faults:
        """Return both together."""
        return Faults(
            self.closed | other.closed,
            self.silent | other.silent,
            self.untagged | other.untagged,
            self.alter + other.alter,
            self.configure + other.configure,
            other.write_status or self.write_status,
        )

    def targets(self, nodes: Iterable[Node]) -> int:
        """Return how many targets of nodes the head node still finds."""
        return sum(len(node.ports) for node in nodes if node.number not in self.untagged)


def planted(faults: Iterable[str | Faults]) -> Faults:
    """Return faults by their names, or as they are given, together. An unknown name is a KeyError."""
    together = Faults()
    for fault in faults:
        together = together.and_(NAMED[fault] if isinstance(fault, str) else fault)
    return together


def renamed(old: str, new: str) -> Callable[[Node, int, str], str]:
    """Return what writes another text in the place of one, in every exposition."""
    return lambda _node, _port, text: text.replace(old, new)


def without(metric: str) -> Callable[[Node, int, str], str]:
    """Return what leaves out a metric."""
    return lambda _node, _port, text: "".join(
        line for line in text.splitlines(keepends=True) if not line.startswith((f"{metric} ", f"{metric}{{"))
    )


def _other_port(config: dict[str, Any]) -> None:
    """Let the head node look for dcgm-exporter where nothing is."""
    for job in config["scrape_configs"]:
        for rule in job.get("relabel_configs", ()):
            if rule.get("target_label") == "__address__":
                rule["replacement"] = rule["replacement"].replace(":9400", ":9401")


NAMED = {
    "closed-port": Faults(closed=frozenset({(COMPUTE[1].number, 9400)})),
    "silent-node": Faults(silent=frozenset((COMPUTE[1].number, port) for port in COMPUTE[1].ports)),
    "silent-head": Faults(silent=frozenset((HEAD.number, port) for port in HEAD.ports)),
    "wrong-tag": Faults(untagged=frozenset({COMPUTE[3].number})),
    "wrong-port": Faults(configure=(_other_port,)),
    "renamed-label": Faults(alter=(renamed('gpu="', 'gpu_index="'),)),
    "missing-metric": Faults(alter=(without("DCGM_FI_DEV_GPU_UTIL"),)),
    "no-slurm": Faults(closed=frozenset({(HEAD.number, 9341)})),
    "write-403": Faults(write_status=403),
    "write-429": Faults(write_status=429),
}
