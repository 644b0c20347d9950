"""What AWS itself refuses in the emulated account because of a breakdown: a resource, or the launch of nodes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.node_logs import fill_template
from trainyard.rehearsal.emulated.resource import LogicalResource, ResourceError

_NO_RESERVATION = "cr-0123456789abcdef0"


def refuse_planted(resource: LogicalResource, account_id: str) -> None:
    """Raise ResourceError where a resource of this type is to fail."""
    breakdown = breakdown_at("resource")
    if breakdown is not None and breakdown.resource == resource.type:
        values = {"account": account_id, "name": resource.name, "request": str(uuid.uuid4())}
        raise ResourceError(fill_template(breakdown.message, values))


def launch_refusal(kind: str, zone: str | None, request: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return code and message with which nodes of this type are refused; None where nothing is planted."""
    breakdown = breakdown_at("launch")
    if breakdown is None:
        return None
    target = (request.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    values = {
        "type": kind,
        "zone": zone or "",
        "region": (zone or "")[:-1],
        "reservation": target.get("CapacityReservationId") or _NO_RESERVATION,
    }
    return breakdown.code, fill_template(breakdown.message, values)
