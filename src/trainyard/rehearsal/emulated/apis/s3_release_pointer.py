"""S3: a monitoring instance runs what the pointer of its cluster names as soon as that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moto.s3.models import S3Backend

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.inside import Inside
from trainyard.rehearsal.emulated.monitoring_instance import POINTER, follow

if TYPE_CHECKING:
    from collections.abc import Callable


def install() -> None:
    """Watch what is put."""
    wrap(S3Backend, "put_object", _put_object)


def _put_object(former: Callable[..., Any], backend: Any, bucket: str, key: str, value: bytes, **named: Any) -> Any:
    answer = former(backend, bucket, key, value, **named)
    if pointer := POINTER.fullmatch(key):
        follow(Inside(backend.get_bucket(bucket).region_name), bucket, pointer["name"], bytes(value))
    return answer
