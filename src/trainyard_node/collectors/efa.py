"""EFA's counters, under the names that AWS's own exporter gave them, and whether all interfaces are there.

That exporter takes whatever lies in /sys/class/infiniband for EFA, and gives up all of it at the first bad file:
https://github.com/awslabs/awsome-distributed-ai/tree/main/4.validation_and_observability/3.efa-node-exporter
"""

from __future__ import annotations

import re

from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.efa_device import DRIVER, names_in, read_device
from trainyard_node.collectors.efa_totals import EfaTotals
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.places import Places
from trainyard_node.samples import Samples

CLASS = "/sys/class/infiniband"


class EfaCollector:
    """Reads every counter of every interface, and adds them up."""

    name = "efa"
    interval_s = 15.0
    deadline_s = 5.0

    def __init__(self, world: World) -> None:
        """Remember where to read, and what was read."""
        self._places = world.places
        self._totals = EfaTotals()

    def collect(self) -> Samples:
        """Read once. What one device cannot give is counted, and the others are read all the same."""
        samples, expected = Samples("efa"), expected_interfaces(self._places)
        folder = str(self._places.at(CLASS))
        interfaces = sum([read_device(f"{folder}/{name}", name, samples) for name in _devices(folder)])
        if not len(samples) and not expected:
            raise NothingHere(f"no device in {CLASS} has the driver {DRIVER}, and none is expected")
        self._totals.add_to(samples)
        samples.add("trainyard_efa_interfaces", interfaces)
        if expected is not None:
            samples.add("trainyard_efa_interfaces_expected", expected)
        return samples


def expected_interfaces(places: Places) -> int | None:
    """Return how many interfaces node.env expects, or None where it does not say or cannot be read."""
    try:
        text = read_node_env(places).get("TRAINYARD_EFA_INTERFACES", "")
    except (NodeError, OSError):
        return None
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def _devices(folder: str) -> list[str]:
    try:
        return names_in(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NodeError(f"{folder} cannot be listed ({error.strerror}): see who may read it") from error
