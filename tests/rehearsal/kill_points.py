"""What a process leaves that is killed before a call: the account as it is then, without killing a process for each.

All that outlives a killed deployment is in the account, so a copy of the account that is taken before a call is what
SIGKILL at this point leaves. A proxy takes the copies, and hands on everything. A call that only reads is no point of
its own: before it and after it the account is the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import NamedTuple

from tests.rehearsal.account_copies import copied
from tests.rehearsal.faulty_proxy import Proxy, Request, served
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.deploy.work import folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.spec.parsing import parse

_READS = re.compile(
    r"(?:Describe|Detect|Get|List|Head|Validate|Simulate)[A-Za-z]*"
    r"|POST /(?:v1/(?:list|describe)|groups-list|list-|get-).*"
)
_ACTION = re.compile(rb"(?:^|&)Action=([A-Za-z]+)")


class KillPoint(NamedTuple):
    """An account as a process leaves it that is killed before a call."""

    call: str
    account: Account


@contextmanager
def kill_points(
    account: Account, text: str, is_chosen: Callable[[int, str], bool]
) -> Iterator[tuple[Account, list[KillPoint]]]:
    """Give the account through a proxy, and a list that grows by a point before each chosen call that is made there.

    Calls that change something are numbered from zero, and called by their actions, such as CreateStack. The copies are
    there until the end of the block.
    """
    with ExitStack() as copies, _CopyingProxy(account, text, is_chosen, copies) as proxy, served(proxy) as endpoint:
        yield replace(account, endpoint=endpoint), proxy.points


def let_lock_end(account: Account, text: str) -> None:
    """Let the holder of the lock be gone, which is this process and lives on."""
    spec = parse(text, "cluster.yaml").spec
    bucket, key = bucket_of(spec, account), f"{folder(spec.name)}/lock"
    if (stored := s3.get(account, bucket, key)) is not None:
        holder = {**json.loads(stored.content), "until": "2020-01-01T00:00:00+00:00"}
        s3.put(account, bucket, key, json.dumps(holder).encode())


class _CopyingProxy(Proxy):
    def __init__(self, account: Account, text: str, is_chosen: Callable[[int, str], bool], copies: ExitStack) -> None:
        super().__init__(account.endpoint or "")
        self.points: list[KillPoint] = []
        self._account, self._text, self._is_chosen, self._copies = account, text, is_chosen, copies
        self._number = 0

    def fault(self, request: Request) -> str | None:
        call = changing_call(request)
        if call is None:
            return None
        if self._is_chosen(self._number, call):
            copy = self._copies.enter_context(copied(self._account))
            let_lock_end(copy, self._text)
            self.points.append(KillPoint(f"{self._number} {call}", copy))
        self._number += 1
        return None


def changing_call(request: Request) -> str | None:
    """Return a call that changes something, as KillPoint has it; None for one that only reads."""
    call = _call(request)
    return None if _READS.fullmatch(call) else call


def _call(request: Request) -> str:
    """Return the action of a call; of services with the REST protocol the method and the path."""
    if target := request.headers.get("X-Amz-Target"):
        return str(target).rpartition(".")[2]
    if match := _ACTION.search(request.body):
        return match[1].decode()
    return "Get" if request.method in ("GET", "HEAD") else f"{request.method} {request.path}"
