"""Pages of the emulated account below /trainyard/: what exists, what was called, and what is to go wrong."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jmespath  # type: ignore[import-untyped]  # it has none
import yaml
from moto.backends import get_backend

from trainyard.rehearsal.emulated import faults
from trainyard.rehearsal.emulated.engine.stacks import every, every_event
from trainyard.rehearsal.emulated.extensions import api_modules
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

# Every region has a VPC from the start.
_NEVER_EMPTY = {"ec2"}
_ACTION = re.compile(rb"(?:^|&)Action=([A-Za-z0-9]+)")
_counts: Counter[str] = Counter()
TAKES: dict[str, Callable[[Any], Any]] = {"faults": faults.plant}
"""What each page does with the JSON that it is sent with PUT, and answers.

A server adds ``copy``, ``seeds``, ``breakdown`` and ``clock``.
"""


def inventory() -> dict[str, list[str]]:
    """Return the ids of everything that exists in the region that the account was started for."""
    aws = InProcessAccount(os.environ.get("AWS_DEFAULT_REGION", "us-east-1"))
    ids_by_kind = {kind: _own_ids(aws, how) for kind, how in _kinds().items() if _is_in_use(aws, how["moto"])}
    ids_by_kind["CloudFormation stacks"] = [stack.name for stack in every(aws.region) if stack.deleted is None]
    ids_by_kind["S3 objects"] = list(_objects(aws, ids_by_kind.get("S3 buckets", [])))
    for module in api_modules():
        if hasattr(module, "inventory"):
            ids_by_kind |= module.inventory(aws.account_id, aws.region)
    return {kind: sorted(ids) for kind, ids in sorted(ids_by_kind.items()) if ids}


def _is_in_use(aws: InProcessAccount, service: str) -> bool:
    """Return whether anybody ever called this service of moto's in this region. To ask it would load it."""
    if service in _NEVER_EMPTY:
        return True
    if f"moto.{service}.models" not in sys.modules:
        return False
    regions = dict.get(get_backend(service), aws.account_id, {})  # type: ignore[call-overload]  # it lists every service
    return aws.region in regions or "aws" in regions


def _own_ids(aws: InProcessAccount, how: Mapping[str, Any]) -> list[str]:
    others = set(_ids(aws, {**how, **how["less"]})) if "less" in how else set()
    return [id_ for id_ in _ids(aws, how) if id_ not in others]


def _ids(aws: InProcessAccount, how: Mapping[str, Any]) -> list[str]:
    client = aws.client(how["service"])
    parameters = how.get("parameters", {})
    if client.can_paginate(how["call"]):
        pages = list(client.get_paginator(how["call"]).paginate(**parameters))
    else:
        pages = [getattr(client, how["call"])(**parameters)]
    return [str(id_) for page in pages for id_ in jmespath.search(how["ids"], page) or [] if id_ is not None]


def _objects(aws: InProcessAccount, buckets: list[str]) -> Iterator[str]:
    client = aws.client("s3")
    for bucket in buckets:
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
            yield from (f"s3://{bucket}/{content['Key']}" for content in page.get("Contents", []))


@cache
def _kinds() -> Mapping[str, Mapping[str, Any]]:
    text = Path(__file__).with_name("inventory.yaml").read_text(encoding="utf-8")
    kinds: Mapping[str, Mapping[str, Any]] = yaml.load(text, yaml.CSafeLoader)
    return kinds


def count(service: str, environ: dict[str, Any]) -> None:
    """Count a call. Services with the REST protocol are counted by their methods: the action is in the path."""
    _counts[f"{service or 'unsigned'}:{_action(environ)}"] += 1


def calls() -> dict[str, int]:
    """Return how often each action was called, the most frequent first."""
    return dict(_counts.most_common())


def _action(environ: dict[str, Any]) -> str:
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    if target:
        return target.rpartition(".")[2]
    match = _ACTION.search(environ["wsgi.input"].getvalue()[:4096])
    return match[1].decode() if match else str(environ.get("REQUEST_METHOD", ""))


PAGES: dict[str, Callable[[], Any]] = {
    "inventory": inventory,
    "events": every_event,
    "calls": calls,
}
"""What each page shows, by its path. Served as JSON."""
