"""Emulated accounts that each test has for itself, without waiting for their processes or for a deployment again.

The process of an emulated account can fork: the copy takes 30 ms, has all that was in the account, and what a test does
to it stays in it. Of each spec one account is started, and one is deployed into, by the first test of a process of
pytest that asks; every test gets a copy::

    with seeded_account(SPEC) as account:     # what SPEC names as existing is there, and nothing is deployed
    with deployed_account(SPEC) as account:   # its cluster is there, made by the real ParallelCluster, eksctl or Batch
    with empty_account() as account:          # not even seeds

Tests of one spec are quickest in one process: give specs of tests that only want some cluster the text of
``tests.rehearsal.whole.SPEC``. ``copied`` copies any emulated account, also one that a test has prepared.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.request import Request, urlopen

from tests.rehearsal.whole import deployed
from trainyard.edge.aws.account import Account
from trainyard.rehearsal.emulated.emulated_account import emulated_account
from trainyard.rehearsal.emulated.seeds import DEFAULT_ACCOUNT_ID, seeds_of
from trainyard.rehearsal.rehearsal import QuickClock
from trainyard.spec.parsing import parse

_ORIGINALS = ExitStack()
atexit.register(_ORIGINALS.close)


@contextmanager
def copied(account: Account) -> Iterator[Account]:
    """Give a copy of an emulated account as it is now. The copy ends with the original at the latest."""
    copy = told(account, "copy", None)
    try:
        yield replace(account, endpoint=f"http://127.0.0.1:{copy['port']}")
    finally:
        os.kill(copy["process"], signal.SIGKILL)


def told(account: Account, page: str, told: Any) -> Any:
    """Send something to a page of an emulated account, and return its answer."""
    request = Request(f"{account.endpoint}/trainyard/{page}", json.dumps(told).encode(), method="PUT")
    with urlopen(request) as answer:
        return json.load(answer)


@contextmanager
def empty_account(region: str = "us-east-2") -> Iterator[Account]:
    """Give an account in which nothing is but what AWS puts into every one, with the clock of the real world."""
    with copied(_unseeded(region, DEFAULT_ACCOUNT_ID)) as account:
        yield account


@contextmanager
def seeded_account(text: str) -> Iterator[Account]:
    """Give an account in which a spec can be deployed, with a clock that does not make anybody wait."""
    with copied(_seeded(text)) as account:
        yield account


@contextmanager
def account_for(*texts: str) -> Iterator[Account]:
    """Give an account in which any of some specs can be deployed, with a clock that does not make anybody wait."""
    seeds, *others = [seeds_of(parse(text, "cluster.yaml").spec) for text in texts]
    networks = _both([], [one["network"] for one in (seeds, *others) if one["network"]])
    for other in others:
        seeds = _both(seeds, {**other, "network": None})
    place = {key: seeds[key] for key in ("region", "account_id")}
    with copied(_unseeded(**place)) as account:
        for network in networks[1:]:
            told(account, "seeds", {**place, "network": network})
        told(account, "seeds", {**seeds, "network": next(iter(networks), None)})
        yield replace(account, clock=QuickClock())


def _both(first: Any, second: Any) -> Any:
    """Return what two specs name as existing. Where they differ, as the first one has it."""
    if isinstance(first, dict) and isinstance(second, dict):
        if _id(first) != _id(second):
            return first
        return {**second, **{key: _both(value, second.get(key, value)) for key, value in first.items()}}
    if isinstance(first, list) and isinstance(second, list):
        merged: dict[Any, Any] = {}
        for thing in (*first, *second):
            merged[_id(thing)] = _both(merged.get(_id(thing), thing), thing)
        return list(merged.values())
    return first or second


def _id(thing: Any) -> Any:
    if not isinstance(thing, dict):
        return thing
    return next((thing[key] for key in ("id", "CapacityReservationId", "arn", "vpc", "name") if thing.get(key)), None)


@contextmanager
def deployed_account(text: str) -> Iterator[Account]:
    """Give an account with the cluster of a spec, deployed without a finding."""
    with prepared_account(text, _deploy) as account:
        yield account


@contextmanager
def prepared_account(text: str, prepare: Callable[[Account, str], None], *others: str) -> Iterator[Account]:
    """Give an account with what a function has done in it, which has the account and the spec. It is called once.

    What other specs name as existing is there as well.
    """
    with copied(_prepared(text, prepare, others)) as account:
        yield account


@cache
def _unseeded(region: str, account_id: str) -> Account:
    seeds = {"region": region, "account_id": account_id} if account_id != DEFAULT_ACCOUNT_ID else None
    return _ORIGINALS.enter_context(emulated_account(region, seeds=seeds))


@cache
def _seeded(text: str) -> Account:
    return _ORIGINALS.enter_context(account_for(text))


@cache
def _prepared(text: str, prepare: Callable[[Account, str], None], others: tuple[str, ...] = ()) -> Account:
    account = _ORIGINALS.enter_context(account_for(text, *others) if others else seeded_account(text))
    prepare(account, text)
    return account


def _deploy(account: Account, text: str) -> None:
    done = deployed(account, text)
    assert (done.ok, done.findings) == (True, ()), done
