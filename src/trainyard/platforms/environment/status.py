"""Looks at an environment: its stacks, and the monitoring that its clusters share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from trainyard.edge.aws.stacks import StackState
from trainyard.operate.status.cluster_stacks import stacks_of_environment
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.operate.status.failures import of_stacks
from trainyard.operate.status.status_request import StatusRequest


class EnvironmentStatus:
    """What an environment has beside clusters: nothing."""

    essential_parts = ("stacks",)
    watch_words = ("nodes", "watch")
    has_nodes = False

    def version_note(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
        """Return nothing: no platform makes it."""
        return ""

    def concerns(self, status: Status, *, broken: bool) -> tuple[Concern, ...]:  # noqa: ARG002  part of the protocol
        """Return nothing: what may be wrong is wrong with its stacks."""
        return ()

    def lines(self, status: Status) -> tuple[str, ...]:  # noqa: ARG002  part of the protocol
        """Return nothing beside its stacks."""
        return ()

    def other_costs(self) -> tuple[str, ...]:
        """Return nothing: it has no instances whose cost is summed."""
        return ()

    def values(self, status: Status) -> dict[str, Any]:  # noqa: ARG002  part of the protocol
        """Return no values of its own."""
        return {}


class EnvironmentQuery:
    """A look at one environment."""

    def __init__(self, request: StatusRequest) -> None:
        """Ask nothing before the stacks are known."""
        self.request = request

    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        """Return those of all stacks that are the environment's."""
        return stacks_of_environment(stacks, self.request.name)

    def owns(self, stacks: Sequence[StackState]) -> bool:
        """Return whether there are any."""
        return bool(stacks)

    def exists(self, stacks: Sequence[StackState]) -> bool:
        """Return whether there are any: nothing else says so."""
        return bool(stacks)

    def look(self, status: Status, bucket: str) -> Status:  # noqa: ARG002  part of the protocol
        """Return the status with what failed in its stacks."""
        failed = self.request.ask("failures of stacks", partial(of_stacks, self.request.account, status.stacks))
        return replace(status, platform=EnvironmentStatus(), failures=failed() or ())
