"""A wait for signals. In the emulated account it is the emulated head node that signals."""

from __future__ import annotations

from trainyard.rehearsal.emulated import head_node
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = "AWS::CloudFormation::WaitCondition"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Let the head node of the stack start, and fail as CloudFormation does where it does not signal in time.

    The time does not pass: what would last an hour is over at once. In a stack that is not one of ParallelCluster
    nobody could signal, and that is the reason then.
    """
    expected = int(resource.properties.get("Count", 1))
    received = head_node.start(aws, resource.stack_name)
    if received < expected:
        raise ResourceError(f"WaitCondition timed out. Received {received} conditions when expecting {expected}")
    return PhysicalResource(f"{resource.stack_id}/{resource.logical_id}", {"Data": '{"": "HeadNode setup complete"}'})


def delete(_aws: Aws, _physical: PhysicalResource) -> None:
    """Forget it."""
