from __future__ import annotations

import fcntl
import subprocess

import pytest

from trainyard.edge.cache_folder import folder_lock


def unexpected() -> None:
    pytest.fail("it waited for a lock that nobody has")


def test_a_free_lock_is_taken_without_waiting(tmp_path):
    with folder_lock(tmp_path / "lock", unexpected):
        pass
    with folder_lock(tmp_path / "lock", unexpected):
        pass


def test_a_child_that_outlives_its_parent_keeps_the_lock(tmp_path):
    with folder_lock(tmp_path / "lock", unexpected) as lock:
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=(lock,))
    waited = []

    def end_child() -> None:
        waited.append(child.poll())
        child.communicate()

    with folder_lock(tmp_path / "lock", end_child):
        assert waited == [None]


def test_whoever_waited_has_the_lock_to_itself(tmp_path):
    with (tmp_path / "lock").open("a") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        with (
            folder_lock(tmp_path / "lock", lambda: fcntl.flock(first, fcntl.LOCK_UN)),
            (tmp_path / "lock").open() as third,
            pytest.raises(BlockingIOError),
        ):
            fcntl.flock(third, fcntl.LOCK_EX | fcntl.LOCK_NB)
