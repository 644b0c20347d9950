"""S3: a monitoring instance runs what the pointer of its cluster names as soon as that changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.s3.models import S3Backend

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.monitoring_instance import POINTER, follow


def install() -> None:
    """Watch what is put."""
    wrap(S3Backend, "put_object", _put_object)


def _put_object(  # the names are moto's: its own code calls by them
    former: Callable[..., Any], backend: Any, bucket_name: str, key_name: str, value: bytes, **named: Any
) -> Any:
    answer = former(backend, bucket_name, key_name, value, **named)
    if pointer := POINTER.fullmatch(key_name):
        follow(
            InProcessAccount(backend.get_bucket(bucket_name).region_name), bucket_name, pointer["name"], bytes(value)
        )
    return answer
