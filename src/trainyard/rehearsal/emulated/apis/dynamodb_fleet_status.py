"""DynamoDB: a request to start or stop a cluster's fleet is obeyed at once, as its head node would within a minute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.dynamodb.responses import DynamoHandler

from trainyard.rehearsal.emulated import head_node
from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount


def install() -> None:
    """Watch what is updated."""
    wrap(DynamoHandler, "update_item", _update_item)


def _update_item(former: Callable[..., Any], self: Any) -> Any:
    answer = former(self)
    table, key = self.body["TableName"], self.body["Key"]
    if key == {"Id": {"S": head_node.FLEET_KEY}} and table.startswith(head_node.TABLE_PREFIX):
        head_node.obey(InProcessAccount(self.region), table.removeprefix(head_node.TABLE_PREFIX))
    return answer
