"""EC2's volumes and snapshots: what moto knows of them and does not say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import EC2Backend
from moto.ec2.responses.elastic_block_store import ElasticBlockStore

from trainyard.rehearsal.emulated.actions import add, wrap

_SELF = "self"


def install() -> None:
    """Replace the action, and watch what is attached."""
    add(ElasticBlockStore, describe_snapshots)
    wrap(EC2Backend, "attach_volume", _attach_volume)


def describe_snapshots(self: Any) -> ActionResult:
    """Answer DescribeSnapshots, also by owner: moto has those behind Amazon's own images too, over a thousand.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeSnapshots.html
    https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/responses/elastic_block_store.py#L143
    """
    snapshots = self.ec2_backend.describe_snapshots(
        snapshot_ids=self._get_param("SnapshotIds", []), filters=self._filters_from_querystring()
    )
    owners = {self.current_account if owner == _SELF else owner for owner in self._get_param("OwnerIds", [])}
    return ActionResult(
        {"Snapshots": [snapshot for snapshot in snapshots if not owners or snapshot.owner_id in owners]}
    )


def _attach_volume(former: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    """Say of a volume whether it goes with its instance, as moto knows it of the instance.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VolumeAttachment.html
    https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/models/elastic_block_store.py#L120
    """
    attachment = former(backend, *arguments, **named)
    if attachment is not None:
        mapping = attachment.instance.block_device_mapping[attachment.device]
        attachment.delete_on_termination = mapping.delete_on_termination
    return attachment
