"""ParallelCluster for one deployment after the other, without importing it for each.

Its process imports for two seconds of a processor, and is sent to one address. Here it is sent to a proxy, which hands
its calls on to the account that is at work: one process does for all tests of a process of pytest, one after the other.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from urllib.parse import urlsplit

from tests.rehearsal.faulty_proxy import Proxy, served
from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import Pcluster
from trainyard.edge.pcluster_environment import environment

_RUNNING = ExitStack()
atexit.register(_RUNNING.close)


def warm_parallelcluster(account: Account, version: str) -> Pcluster:
    """Return the ParallelCluster of a version, which works on this account until another one asks."""
    proxy, endpoint = _proxy()
    proxy.target = urlsplit(account.endpoint or "")
    return _pcluster(version, replace(account, endpoint=endpoint))


@cache
def _proxy() -> tuple[Proxy, str]:
    proxy = _RUNNING.enter_context(Proxy("http://127.0.0.1"))
    return proxy, _RUNNING.enter_context(served(proxy))


_RUNNING_OF: dict[tuple[str, str, str], Pcluster] = {}


def _pcluster(version: str, account: Account) -> Pcluster:
    place = (version, account.region, account.credentials.get("AWS_CONFIG_FILE", ""))
    if place not in _RUNNING_OF:
        _RUNNING_OF[place] = _RUNNING.enter_context(Pcluster(environment(version, print), account))
    return _RUNNING_OF[place]
