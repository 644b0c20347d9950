"""Where the instances of a node group come from, in the words of eksctl.

The key is capacityReservationID. With a small d eksctl ignores it, and the instances come from no reservation at all:
https://github.com/eksctl-io/eksctl/issues/8320
"""

from __future__ import annotations

from typing import Any

from trainyard.launch.capacity import CapacityTarget
from trainyard.render.reservation_groups import group_arn
from trainyard.render.stand_ins import Ids

_GROUP_KEY = "capacityReservationResourceGroupARN"


def capacity(target: CapacityTarget, ids: Ids, *, in_template: bool) -> dict[str, Any]:
    """Return the keys of a node group. What a launch template of our own says need not be said, but for one thing.

    Of a Capacity Block the node group has to know as well: eksctl derives its capacity type from the market.
    https://github.com/eksctl-io/eksctl/pull/8207
    """
    if not target.is_reserved:
        return {"spot": True} if target.kind == "spot" else {}
    if target.capacity_block is None and in_template:
        return {}
    arn = group_arn(target, ids)
    key, value = ("capacityReservationID", target.reservation) if arn is None else (_GROUP_KEY, arn)
    market = {} if target.capacity_block is None else {"instanceMarketOptions": {"marketType": "capacity-block"}}
    return {"capacityReservation": {"capacityReservationTarget": {key: value}}, **market}
