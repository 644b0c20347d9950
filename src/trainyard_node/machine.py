"""What the runner needs of the machine, as things that tests replace."""

from __future__ import annotations

from typing import NamedTuple

from trainyard_node.clock import Clock
from trainyard_node.places import Places
from trainyard_node.processes import Processes


class World(NamedTuple):
    """Files, time and programs."""

    places: Places
    clock: Clock
    processes: Processes
