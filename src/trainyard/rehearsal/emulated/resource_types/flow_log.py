"""Flow logs of a VPC, a subnet or a network interface."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::FlowLog"
_NAMES = (
    "DeliverLogsPermissionArn",
    "LogDestination",
    "LogDestinationType",
    "LogFormat",
    "LogGroupName",
    "MaxAggregationInterval",
    "ResourceType",
    "TrafficType",
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Switch them on."""
    answer = aws.client("ec2").create_flow_logs(
        ResourceIds=[wanted.properties["ResourceId"]],
        **picked(wanted.properties, *_NAMES),
        **tag_specifications("vpc-flow-log", wanted),
    )
    return Made(answer["FlowLogIds"][0], {"Id": answer["FlowLogIds"][0]})


def delete(aws: Aws, made: Made) -> None:
    """Switch them off."""
    aws.client("ec2").delete_flow_logs(FlowLogIds=[made.id])
