"""S3: bucket policies as AWS reads them, as far as they concern who deploys; and what follows from a release pointer.

Moto knows neither conditions nor principals that are services, and so takes "nobody without TLS" for "nobody".
https://github.com/getmoto/moto/blob/5.2.5/moto/iam/access_control.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from moto.s3.models import FakeBucket, S3Backend

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.monitoring_instance import POINTER, follow


def install() -> None:
    """Leave out the statements that do not apply before moto decides, and watch what is put."""
    wrap(FakeBucket, "get_permission", _permission)
    wrap(S3Backend, "put_object", _put_object)


def _permission(former: Callable[..., Any], bucket: Any, *arguments: Any) -> Any:
    written = bucket.policy
    if written is None:
        return former(bucket, *arguments)
    bucket.policy = _applying(written)
    try:
        return former(bucket, *arguments)
    finally:
        bucket.policy = written


def _applying(policy: bytes) -> bytes | None:
    document = json.loads(policy)
    statements = document["Statement"]
    applying = [
        statement for statement in (statements if isinstance(statements, list) else [statements]) if _applies(statement)
    ]
    return (
        json.dumps({**document, "Statement": [_unconditional(statement) for statement in applying]}).encode()
        if applying
        else None
    )


def _applies(statement: Mapping[str, Any]) -> bool:
    """Tell whether a statement is about the caller: one account, over what stands for TLS, and no service."""
    principal = statement.get("Principal")
    if isinstance(principal, dict) and not principal.keys() & {"AWS", "*"}:
        return False
    conditions = statement.get("Condition") or {}
    return all(
        _holds(operator, key, expected) for operator, keys in conditions.items() for key, expected in keys.items()
    )


def _holds(operator: str, key: str, expected: Any) -> bool:
    values = [str(value).lower() for value in (expected if isinstance(expected, list) else [expected])]
    if (operator, key.lower()) == ("Bool", "aws:securetransport"):
        return "true" in values
    return False  # what is not known here lets nobody in and shuts nobody out


def _unconditional(statement: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in statement.items() if key != "Condition"}


def _put_object(  # the names are moto's: its own code calls by them
    former: Callable[..., Any], backend: Any, bucket_name: str, key_name: str, value: bytes, **named: Any
) -> Any:
    """Let a monitoring instance run what the pointer of its cluster names, as soon as that changes."""
    answer = former(backend, bucket_name, key_name, value, **named)
    if pointer := POINTER.fullmatch(key_name):
        region = backend.get_bucket(bucket_name).region_name
        follow(InProcessAccount(region), bucket_name, pointer["name"], bytes(value))
    return answer
