from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trainyard.edge import pcluster_schema_worker as worker


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(["a", "b"], [((), "a"), ((), "b")], id="messages about the whole"),
        pytest.param({"A": {0: {"B": ["a"]}}}, [(("A", 0, "B"), "a")], id="keys and positions"),
        pytest.param({"A": {1: {"_schema": ["a"]}}}, [(("A", 1), "a")], id="_schema is about its parent"),
        pytest.param({"A": [{"B": ["a"]}, "b"]}, [(("A", "B"), "a"), (("A",), "b")], id="a dict in a list"),
        pytest.param({True: ["a"], None: ["b"]}, [(("True",), "a"), (("None",), "b")], id="keys that are no text"),
        pytest.param({"A": "a"}, [(("A",), "a")], id="a bare message"),
    ],
)
def test_nested_messages_become_paths(messages, expected):
    found = list(worker.flatten(messages))
    assert [(tuple(complaint["path"]), complaint["message"]) for complaint in found] == expected


@pytest.mark.parametrize(
    "attempt", ["socket.create_connection(('127.0.0.1', 9))", "socket.getaddrinfo('localhost', 80)"]
)
def test_the_worker_makes_no_connection(attempt):
    script = (
        f"import runpy, socket, sys; worker = runpy.run_path({str(Path(worker.__file__))!r});"
        f"sys.addaudithook(worker['refuse_network']); {attempt}"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("PermissionError: a schema check makes no connection\n")
