"""Pages of the emulated account below /trainyard/: what exists, what CloudFormation did, and what is to go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainyard.rehearsal.emulated import faults
from trainyard.rehearsal.emulated.calls import calls
from trainyard.rehearsal.emulated.engine.stacks import every_event
from trainyard.rehearsal.emulated.inventory import inventory

PAGES: dict[str, Callable[[], Any]] = {
    "inventory": inventory,
    "events": every_event,
    "calls": calls,
}
"""What each page shows, by its path. Served as JSON."""

TAKES: dict[str, Callable[[Any], Any]] = {"faults": faults.plant}
"""What each page does with the JSON that it is sent with PUT, and answers. A server adds ``copy``."""
