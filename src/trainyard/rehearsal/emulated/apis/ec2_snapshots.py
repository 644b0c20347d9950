"""EC2: whose snapshots are asked for. Moto answers with those behind Amazon's own images, over a thousand of them.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSnapshots.html
https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/responses/elastic_block_store.py#L143
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses.elastic_block_store import ElasticBlockStore

from trainyard.rehearsal.emulated.actions import add

_SELF = "self"


def install() -> None:
    """Replace the action."""
    add(ElasticBlockStore, describe_snapshots)


def describe_snapshots(self: Any) -> ActionResult:
    """Answer DescribeSnapshots, also by owner."""
    found = self.ec2_backend.describe_snapshots(
        snapshot_ids=self._get_param("SnapshotIds", []), filters=self._filters_from_querystring()
    )
    owners = {self.current_account if one == _SELF else one for one in self._get_param("OwnerIds", [])}
    return ActionResult({"Snapshots": [one for one in found if not owners or one.owner_id in owners]})
