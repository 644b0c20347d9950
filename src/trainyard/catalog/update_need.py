"""What an update of a cluster needs before it may change something."""

from __future__ import annotations

from typing import Literal

UpdateNeed = Literal[
    "live",
    "queue-update-strategy",
    "terminate-or-fleet-stop",
    "fleet-stop",
    "login-stop",
    "fleet-and-login-stop",
    "unsupported",
]
"""In this order: nothing; a stopped fleet, or any queue update strategy but COMPUTE_FLEET_STOP; a stopped fleet, or the
strategy TERMINATE; a stopped fleet; no login nodes; neither fleet nor login nodes; a new cluster."""
