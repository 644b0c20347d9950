"""Putting several reservations into a group, which is what nodes target.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.by_hand.aws_command import assignment, aws, document, shell_name
from trainyard.catalog.partition import partition_of
from trainyard.launch.capacity import reservation_groups
from trainyard.render.reservation_groups import CONFIGURATION, group_name
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec


def delete_group_commands(spec: Spec) -> Iterator[str]:
    """Yield how to delete the groups that were made for a cluster."""
    for number, _ in enumerate(reservation_groups(spec), 1):
        yield aws(spec.region, "resource-groups delete-group", "--group", group_name(spec, number))


def reservation_group(spec: Spec, stand_in: StandIn) -> Iterator[str]:
    """Yield how to make the group that a stand-in stands for."""
    number = int(stand_in.output.removeprefix("ReservationGroupArn") or 1)
    name = group_name(spec, number)
    arn = f"arn:{partition_of(spec.region)}:ec2:{spec.region}:$ACCOUNT:capacity-reservation/"
    members = [f"{arn}{reservation}" for reservation in reservation_groups(spec)[number - 1]]
    yield assignment("ACCOUNT", aws(spec.region, "sts get-caller-identity", "--query", "Account", "--output", "text"))
    creation = aws(
        spec.region, "resource-groups create-group", "--name", name, "--configuration", document(CONFIGURATION),
        "--query", "Group.GroupArn", "--output", "text",
    )  # fmt: skip
    yield assignment(shell_name(stand_in.output), creation)
    yield aws(spec.region, "resource-groups group-resources", "--group", name, "--resource-arns", *members)
