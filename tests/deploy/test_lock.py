"""Two people cannot deploy the same cluster at once."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.deploy.conftest import BUCKET
from tests.waiting import wait_until
from trainyard.deploy.lock import Lock
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.processes import place
from trainyard.errors import TrainyardError

KEY = "trainyard/llm/lock"


def lock(account: Account, what: str = "deploy", renewed_every_s: float = 60) -> Lock:
    return Lock(account, BUCKET, "llm", what, renewed_every_s=renewed_every_s)


def held_by(account: Account, **changes: object) -> None:
    """Put a lock there that somebody else holds."""
    holder = {"what": "deploy", "user": "ada", "host": "other-host", "process": 1, "until": "2100-01-01T00:00:00+00:00"}
    s3.put(account, BUCKET, KEY, json.dumps(holder | changes).encode())


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_lock_lies_in_the_bucket_while_it_is_held_and_not_after(account):
    with lock(account):
        object_ = s3.get(account, BUCKET, KEY)
        assert object_ is not None
        assert json.loads(object_.content)["process"] == os.getpid()
    assert s3.get(account, BUCKET, KEY) is None


def test_it_is_released_after_an_error_too(account):
    with pytest.raises(ZeroDivisionError), lock(account):
        _ = 1 / 0
    assert s3.get(account, BUCKET, KEY) is None


def test_a_second_one_is_refused_and_told_who_holds_it(account):
    with lock(account), pytest.raises(TrainyardError, match=r"llm is locked: .* runs deploy"), lock(account, "destroy"):
        pass


def test_the_one_who_is_refused_does_not_release_the_other(account):
    held_by(account)
    with pytest.raises(TrainyardError, match="ada on other-host"), lock(account):
        pass
    assert s3.get(account, BUCKET, KEY) is not None


def test_another_cluster_is_not_locked(account):
    with lock(account), Lock(account, BUCKET, "other", "deploy"):
        pass


def test_a_lock_whose_time_is_over_is_taken_over(account):
    held_by(account, until="2001-01-01T00:00:00+00:00")
    with lock(account):
        pass


def test_a_lock_of_a_dead_process_of_this_machine_is_taken_over(account):
    held_by(account, host="this-host", place=place(), process=dead_process())
    said: list[str] = []
    with Lock(account, BUCKET, "llm", "deploy", said.append):
        pass
    assert said == ["takes over the lock of ada on this-host, who ended without releasing it"]


def test_a_process_of_another_container_with_the_same_name_is_not_taken_for_dead(account):
    held_by(account, host=socket.gethostname(), place="another boot pid:[1]", process=dead_process())
    with pytest.raises(TrainyardError, match="is locked"), lock(account):
        pass


def test_a_lock_that_could_not_be_renewed_in_time_counts_as_lost(account):
    with lock(account) as held:
        account.clock.sleep(14 * 60)
        held.refuse_lost()
        account.clock.sleep(2 * 60)
        with pytest.raises(TrainyardError, match="or may have"):
            held.refuse_lost()


def test_a_network_that_is_gone_does_not_end_the_renewals(account, monkeypatch):
    with lock(account, renewed_every_s=0.01) as held:
        put = account.client("s3").put_object
        failures: list[str] = []

        def fail(**asked: object) -> None:
            failures.append(str(asked["Key"]))
            raise EndpointConnectionError(endpoint_url="https://s3")

        monkeypatch.setattr(account.client("s3"), "put_object", fail)
        wait_until(lambda: len(failures) >= 3)
        monkeypatch.setattr(account.client("s3"), "put_object", put)
        held.refuse_lost()


def test_a_lock_of_a_living_process_of_this_machine_is_not(account):
    held_by(account, host="this-host", place=place(), process=os.getpid())
    with pytest.raises(TrainyardError, match="is locked"), lock(account):
        pass


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b'{"until": 5, "process": "x"}'])
def test_a_lock_that_cannot_be_read_is_somebody_elses(account, content):
    s3.put(account, BUCKET, KEY, content)
    with pytest.raises(TrainyardError, match="is locked: somebody on another machine"), lock(account):
        pass


def test_it_is_renewed_while_it_is_held(account):
    with lock(account, renewed_every_s=0.01) as held:
        first = s3.get(account, BUCKET, KEY)
        wait_until(lambda: s3.get(account, BUCKET, KEY) != first)
        held.refuse_lost()


def test_who_has_lost_it_is_stopped_and_does_not_release_it(account):
    with lock(account, renewed_every_s=0.01) as held:
        held_by(account)
        wait_until(lambda: held._lost)
        with pytest.raises(TrainyardError, match="has taken over the lock"):
            held.refuse_lost()
    assert s3.get(account, BUCKET, KEY) is not None
