"""What is to go wrong in the emulated account, so that tests can see what happens then.

Seeds carry it below ``faults``; without it nothing goes wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class Faults:
    """The faults of an account."""

    no_capacity: Sequence[str] = field(default_factory=tuple)
    """Instance types of which EC2 has none left."""
    head_node_signals: bool = True
    """Whether head nodes tell CloudFormation that they are ready. Without that, creating a cluster times out."""
    updates_are_taken_back: bool = True
    """Whether CloudFormation can take back an update that fails; where it cannot, somebody has to look."""
    monitoring_instance_reports: bool = True
    """Whether the instance of a self-hosted monitoring runs what is published and says so."""
    quotas: Mapping[str, float] = field(default_factory=dict)
    """What the account may have of a quota, by its code: {"L-417A185B": 96}. Of all others it may have plenty."""
    denied_actions: Sequence[str] = field(default_factory=tuple)
    """Actions that IAM's policy simulator calls forbidden: iam:CreateRole. Calls are answered all the same."""
    breakdown: str | None = None
    """What breaks down while a cluster is deployed, with all that nodes write of it: one of breakdowns/."""


FAULTS = Faults()
"""The faults of this process."""


def plant(faults: Mapping[str, Any]) -> None:
    """Let these go wrong from now on, and nothing else. Raises TypeError for a fault that does not exist."""
    planted = Faults(**faults)
    for fault in fields(Faults):
        setattr(FAULTS, fault.name, getattr(planted, fault.name))
