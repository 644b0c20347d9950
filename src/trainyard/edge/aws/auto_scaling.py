"""Amazon EC2 Auto Scaling: ends an instance of a group, which launches another one.

https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
"""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call


def end_instance(account: Account, instance_id: str) -> None:
    """End an instance of a group, which keeps its size. Raises TrainyardError."""
    operation = "terminate_instance_in_auto_scaling_group"
    call(
        account, "autoscaling", operation, doing=f"end {instance_id}",
        InstanceId=instance_id, ShouldDecrementDesiredCapacity=False,
    )  # fmt: skip
