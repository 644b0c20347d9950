"""``trainyard monitor view`` beside a server that answers like Prometheus."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.edge.prometheus_stand_in import data, standing_in
from trainyard.monitoring.dashboard import dashboards

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ONE = data({"resultType": "vector", "result": [{"metric": {"node_name": "n"}, "value": [0, "1"]}]})
NONE = data({"resultType": "vector", "result": []})


@pytest.fixture
def server():
    with standing_in() as made:
        made.answers = [ONE]
        yield made


def test_it_says_which_dashboards_have_data(server, trainyard):
    ran = trainyard("monitor", "view", "--prometheus", server.url, "--check")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("cluster-overview ")
    assert all(" panels have data" in line and "empty" not in line for line in lines)
    assert ran.err == f"asking {server.url}\n"


def test_the_same_for_programs(server, trainyard):
    server.answers = [ONE, ONE, NONE]
    ran = trainyard("monitor", "view", "--prometheus", server.url, "--check", "--json")
    found = json.loads(ran.out)
    assert (ran.status, found["schema"]) == (1, 1)
    (storage,) = [one for one in found["dashboards"] if one["id"] == "storage"]
    (described,) = [one for one in dashboards() if one.id == "storage"]
    rightly = [panel.id for panel in described.panels() if panel.may_be_empty]
    assert sorted(storage) == ["empty", "failed", "id", "rightly_empty", "title", "with_data"]
    assert (storage["with_data"], storage["rightly_empty"], storage["failed"]) == ([], rightly, {})


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "one of NAME and --prometheus has to be given"),
        (("mine", "--prometheus", "http://localhost:9090"), 2, "and not both"),
        (("mine",), 2, "nothing says which region"),
        (("--prometheus", "localhost:9090"), 2, "is not the address of a server"),
        (("--prometheus", "http://me:pw@localhost:9090"), 2, "TRAINYARD_PROMETHEUS_PASSWORD"),
        (("--prometheus", "http://127.0.0.1:1"), 1, "no Prometheus answers at http://127.0.0.1:1"),
        (("--prometheus", "http://localhost:9090", "--port", "99999"), 2, "--port"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(arguments, status, words, trainyard):
    ran = trainyard("monitor", "view", *arguments)
    assert ran.status == status
    assert words in ran.err.splitlines()[-1]
    assert ran.out == ""


def test_a_port_that_is_taken_is_one_clear_line(server, trainyard):
    port = server.url.rpartition(":")[2]
    ran = trainyard("monitor", "view", "--prometheus", server.url, "--port", port)
    assert ran.status == 2
    assert f"port {port} cannot be used: Address already in use" in ran.err


def test_it_serves_the_page_until_ctrl_c_and_ends_cleanly(server):
    command = [sys.executable, "-m", "trainyard", "monitor", "view", "--prometheus", server.url]
    environment = {**os.environ, "TRAINYARD_PROMETHEUS_TOKEN": "secret"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}efa-network", timeout=300) as page:
            assert b"<title>trainyard monitor</title>" in page.read()
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=300)
        finally:
            running.kill()
    assert (running.returncode, out) == (0, "")
    assert err.splitlines()[-1] == "stopped"
    assert {headers["Authorization"] for *_, headers, _ in server.requests} == {"Bearer secret"}
    assert "secret" not in err
