"""IAM: the policies that AWS manages are read for the one partition that is emulated, not for each of the six.

https://github.com/getmoto/moto/blob/5.2.5/moto/iam/models.py#L1908
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.iam.models import IAMBackend

from trainyard.rehearsal.emulated.actions import wrap

_PARTITION = "aws"


def install() -> None:
    """Leave the other partitions empty: each takes 0.2 s and nobody asks for them."""
    wrap(IAMBackend, "_init_aws_policies", _init_aws_policies)


def _init_aws_policies(former: Callable[..., Any], backend: Any) -> Any:
    return former(backend) if backend.region_name == _PARTITION else []
