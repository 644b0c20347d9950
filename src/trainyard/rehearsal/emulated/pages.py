"""Pages of the emulated account below /trainyard/: what exists, and what CloudFormation did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.rehearsal.emulated.calls import calls
from trainyard.rehearsal.emulated.engine.stacks import every_event
from trainyard.rehearsal.emulated.inventory import inventory

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES: dict[str, Callable[[], Any]] = {
    "inventory": inventory,
    "events": every_event,
    "calls": calls,
}
"""What each page shows, by its path. Served as JSON."""
