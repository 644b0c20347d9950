"""EC2: whether an attached volume goes with its instance. Moto knows it, and does not say it of the volume.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_VolumeAttachment.html
https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/models/elastic_block_store.py#L120
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.ec2.models import EC2Backend

from trainyard.rehearsal.emulated.actions import wrap


def install() -> None:
    """Say it."""
    wrap(EC2Backend, "attach_volume", _attach_volume)


def _attach_volume(former: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    attachment = former(backend, *arguments, **named)
    if attachment is not None:
        mapping = attachment.instance.block_device_mapping[attachment.device]
        attachment.delete_on_termination = mapping.delete_on_termination
    return attachment
