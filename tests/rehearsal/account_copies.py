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
from trainyard.rehearsal.emulated.seeds import seeds_of
from trainyard.rehearsal.rehearsal import QuickClock
from trainyard.spec.parsing import parse

_ORIGINALS = ExitStack()
atexit.register(_ORIGINALS.close)


@contextmanager
def copied(account: Account) -> Iterator[Account]:
    """Give a copy of an emulated account as it is now. The copy ends with the original at the latest."""
    with urlopen(Request(f"{account.endpoint}/trainyard/copy", b"null", method="PUT")) as answer:
        copy = json.load(answer)
    try:
        yield replace(account, endpoint=f"http://127.0.0.1:{copy['port']}")
    finally:
        os.kill(copy["process"], signal.SIGKILL)


@contextmanager
def empty_account(region: str = "us-east-2") -> Iterator[Account]:
    """Give an account in which nothing is but what AWS puts into every one, with the clock of the real world."""
    with copied(_empty(region)) as account:
        yield account


@contextmanager
def seeded_account(text: str) -> Iterator[Account]:
    """Give an account in which a spec can be deployed, with a clock that does not make anybody wait."""
    with copied(_seeded(text)) as account:
        yield account


def started_account(*texts: str) -> Account:
    """Return an account in which any of some specs can be deployed; to be copied, and kept until the tests end."""
    return _started(texts)


@contextmanager
def deployed_account(text: str) -> Iterator[Account]:
    """Give an account with the cluster of a spec, deployed without a finding."""
    with prepared_account(text, _deploy) as account:
        yield account


@contextmanager
def prepared_account(text: str, prepare: Callable[[Account, str], None]) -> Iterator[Account]:
    """Give an account with what a function has done in it, which has the account and the spec. It is called once."""
    with copied(_prepared(text, prepare)) as account:
        yield account


@cache
def _empty(region: str) -> Account:
    return _ORIGINALS.enter_context(emulated_account(region))


@cache
def _seeded(text: str) -> Account:
    spec = parse(text, "cluster.yaml").spec
    account = _ORIGINALS.enter_context(emulated_account(spec.region, seeds=seeds_of(spec)))
    return replace(account, clock=QuickClock())


@cache
def _started(texts: tuple[str, ...]) -> Account:
    specs = [parse(text, "cluster.yaml").spec for text in texts]
    seeds = seeds_of(specs[0])
    for spec in specs[1:]:
        for kind, things in seeds_of(spec).items():
            if isinstance(things, list):
                there = [_id(thing) for thing in seeds[kind]]
                seeds[kind] = [*seeds[kind], *(thing for thing in things if _id(thing) not in there)]
            else:
                seeds[kind] = seeds[kind] or things
    account = _ORIGINALS.enter_context(emulated_account(specs[0].region, seeds=seeds))
    return replace(account, clock=QuickClock())


def _id(thing: Any) -> Any:
    return thing.get("id", thing) if isinstance(thing, dict) else thing


@cache
def _prepared(text: str, prepare: Callable[[Account, str], None]) -> Account:
    account = _ORIGINALS.enter_context(seeded_account(text))
    prepare(account, text)
    return account


def _deploy(account: Account, text: str) -> None:
    done = deployed(account, text)
    assert (done.ok, done.findings) == (True, ()), done
