"""What the EFA collector exports of a tree, as values by the names of samples."""

from __future__ import annotations

import re

from tests.node.collectors.efa_tree import EfaTree
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.machine import World
from trainyard_node.places import Places

_SAMPLE = re.compile(r'([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})?) ([0-9]+)')


def collector(tree: EfaTree) -> EfaCollector:
    clock = FakeClock()
    return EfaCollector(World(Places(str(tree.root)), clock, FakeProcesses(clock)))


def samples(text: str) -> dict[str, int]:
    """Return the samples of an exposition, each of whose lines is one or a comment."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            sample = _SAMPLE.fullmatch(line)
            assert sample, line
            assert sample[1] not in found
            found[sample[1]] = int(sample[2])
    return found


def collected(tree: EfaTree) -> dict[str, int]:
    return samples(collector(tree).collect().text())


def of(device: str, found: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in found.items() if f'"{device}"' in name}


def unreadable(device: str, found: dict[str, int]) -> int:
    return found[f'trainyard_efa_unreadable_counters{{device="{device}"}}']
