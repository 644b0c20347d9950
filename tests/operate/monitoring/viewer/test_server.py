"""The server of the page: what it answers, to whom, and what it does when Prometheus does not."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from tests.edge.prometheus_stand_in import Says, standing_in
from tests.half_open import half_open_connections
from tests.operate.monitoring.viewer.fake_source import FakeSource
from tests.operate.monitoring.viewer.viewing import viewing
from tests.waiting import HANGS_S, wait_until
from trainyard.edge.http_client import HttpClient
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import one_line
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.server import Viewer, page_files

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
EFA = next(dashboard for dashboard in dashboards() if dashboard.id == "efa-network")
HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\u202e\x00"


@pytest.fixture
def source():
    return FakeSource([({"node_name": "n1"}, 1.0)], label_names={"cluster": ["mine"]})


@pytest.fixture
def page(source):
    with viewing(source) as running:
        yield running


def test_it_listens_on_loopback_alone(page):
    assert page.viewer.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/efa-network", "/efa-network?range=900"])
def test_every_dashboard_has_its_address(path, page):
    reply = page.ask(path)
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert reply.body == page_files()["index.html"].content


def test_what_a_page_will_ask_for_is_asked_while_the_browser_still_reads_it(page, source):
    begun = threading.Event()
    source.before = lambda _: begun.set()
    page.ask("/efa-network?to=1795286880&range=900&node=n1")
    assert begun.wait(300)
    lines = page.ask("/data/efa-network?from=1795285980&to=1795286880&node=n1").lines()
    assert len(lines) == 1 + len(list(EFA.panels()))
    assert len(source.instants) == len(set(source.instants))
    assert all('"n1"' in instant or "$node" not in instant for instant in source.instants)


def test_nothing_is_asked_for_a_page_that_nobody_sees_or_whose_address_is_wrong(page, source):
    assert page.ask("/efa-network", Sec_Fetch_Dest="iframe").status == 200
    assert page.ask("/efa-network?to=x").status == 200
    page.ask("/variables")
    assert source.instants == []


def test_of_many_pages_that_ask_for_nothing_only_the_last_few_are_answered(page, source):
    go_on = threading.Event()
    source.before = lambda _: go_on.wait(HANGS_S)
    for number in range(30):
        page.ask(f"/efa-network?to={1795286880 - number * 3600}")
    go_on.set()
    page.ask("/data/efa-network?from=1795283280&to=1795286880")
    assert len({start_s for _, start_s, *_ in source.ranges}) < 10


def test_every_file_of_the_page_is_sent_and_not_a_second_time(page):
    for name, file in page_files().items():
        reply = page.ask(f"/{name}")
        assert (reply.status, reply.body) == (200, file.content)
        again = page.ask(f"/{name}", If_None_Match=reply.headers["ETag"])
        assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/../server.py", "/%2e%2e/server.py", "/page/app.js", "//etc/passwd", "/api/v1/query?query=up"],
)
def test_nothing_else_is_there(path, page, source):
    assert page.ask(path).status == 404
    assert source.instants == []


def test_every_answer_forbids_scripts_of_others_and_frames(page):
    for path in ("/", "/app.js", "/description", "/data/efa-network", "/variables", "/headline", "/nothing"):
        headers = page.ask(path).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "X"])
def test_only_get_is_answered(method, page):
    reply = page.ask("/", method)
    assert (reply.status, reply.headers["Allow"]) == (405, "GET")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost", "[::1]", "127.0.0.2:1"])
def test_a_foreign_name_that_leads_here_gets_nothing(host, page, source):
    for path in ("/", "/data/efa-network", "/headline"):
        assert page.ask(path, Host=host).status == 403
    assert source.instants == []


def test_a_page_of_others_cannot_make_it_ask(page, source):
    assert page.ask("/data/efa-network", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403
    assert source.instants == []


def test_the_answers_of_all_panels_come_in_one_reply(page):
    first, *panels = page.ask("/data/efa-network").lines()
    assert sorted(first) == ["from", "step", "to"]
    assert {panel["id"] for panel in panels} == {panel.id for panel in EFA.panels()}
    assert all(panel["series"] for panel in panels)


@pytest.mark.parametrize(
    "target",
    ["/data/nothing", "/data/", "/data/efa-network?from=x", "/headline?to=x", "/variables?from=0", "/data/../x"],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(target, page):
    reply = page.ask(target)
    assert reply.status == 400
    assert reply.body.endswith(b"\n")


def test_a_query_of_ones_own_is_never_passed_on(page, source):
    page.ask("/data/efa-network?query=secret&expr=secret&cluster=%22%7D%20or%20secret%7B")
    assert source.instants
    assert all(
        "or secret{" not in instant.replace('\\"', "") or '"} or secret' not in instant for instant in source.instants
    )
    assert not any('"} or' in instant.replace('\\"', "'") for instant in source.instants)


def test_hostile_labels_arrive_as_text_in_ascii(page, source):
    source.values = [({"node_name": HOSTILE}, 1.0)]
    reply = page.ask("/data/host-system")
    assert reply.body.isascii()
    assert reply.headers["Content-Type"] == "application/x-ndjson"
    names = {series["name"] for panel in reply.lines()[1:] for series in panel["series"]}
    assert any(one_line(HOSTILE) in name for name in names)


def test_what_can_be_chosen_is_told(page):
    assert page.ask("/variables").json() == {
        "cluster": ["mine"], "queue": [], "job": [], "user": [], "node": [],
    }  # fmt: skip


def test_a_prometheus_that_is_down_is_told_in_each_panel_and_the_page_still_works(page, source):
    source.fails = TrainyardError("no Prometheus answers", hint="start it")
    error = {"problem": "no Prometheus answers", "hint": "start it"}
    assert all(line["error"] == error for line in page.ask("/data/efa-network").lines()[1:])
    assert page.ask("/variables").json() == {"error": error}
    assert page.ask("/headline").json() == {"error": error, "prometheus": source.url}
    assert page.ask("/").status == 200
    source.fails = None
    assert all("series" in line for line in page.ask("/data/efa-network").lines()[1:])


@pytest.mark.parametrize("says", [Says("oops", status=500), Says("<html>"), Says('{"status": "success"}')])
def test_whatever_prometheus_answers_the_page_gets_words(says):
    with standing_in() as server:
        server.answers = [says]
        api = PrometheusApi(Connection(server.url, http=HttpClient(sleep=lambda _: None)))
        with viewing(api) as page:
            panels = page.ask("/data/storage").lines()[1:]
    assert all(panel["error"]["problem"] for panel in panels)


def test_a_slow_panel_does_not_hold_up_the_others(page, source):
    go_on = threading.Event()
    first = next(iter(EFA.panels()))
    slow = first.queries[0].expr.split("{")[0].rpartition("(")[2].rpartition(" ")[2]
    source.before = lambda asked: go_on.wait(HANGS_S) if slow in asked else None
    with socket.create_connection(("127.0.0.1", page.viewer.port)) as browser:
        browser.sendall(
            f"GET {page.target('/data/efa-network')} HTTP/1.1\r\nHost: localhost:{page.viewer.port}\r\n\r\n".encode()
        )
        browser.settimeout(HANGS_S)
        received = b""
        while received.count(b'"series"') < 5:
            received += browser.recv(65536)
        assert f'"id":"{first.id}"'.encode() not in received
        go_on.set()
        while not received.endswith(b"0\r\n\r\n"):
            received += browser.recv(65536)
    assert b'"id":"received"' in received


def test_who_closes_the_page_is_not_asked_for_any_longer(page, source):
    go_on = threading.Event()
    source.before = lambda _: go_on.wait(HANGS_S)
    with socket.create_connection(("127.0.0.1", page.viewer.port)) as browser:
        browser.sendall(
            f"GET {page.target('/data/host-system')} HTTP/1.1\r\nHost: localhost:{page.viewer.port}\r\n\r\n".encode()
        )
        browser.recv(100)
    go_on.set()
    source.before = lambda _: time.sleep(0.05)
    assert page.ask("/").status == 200


def test_a_page_takes_the_place_of_those_that_ask_nothing(page):
    before = threading.active_count()
    with half_open_connections(page.viewer.port):
        assert [page.ask("/").status for _ in range(3)] == [200] * 3
        wait_until(lambda: threading.active_count() < before + 200)


def test_a_port_that_is_taken_is_one_clear_error(page):
    with pytest.raises(InputError, match=f"port {page.viewer.port} cannot be used: Address already in use") as error:
        Viewer(FakeSource(), page.viewer.port)
    assert "--port 0" in str(error.value.hint)


@pytest.mark.parametrize("sent", [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x00\r\n\r\n"])
def test_what_is_no_http_is_refused_and_the_next_is_served(sent, page):
    with socket.create_connection(("127.0.0.1", page.viewer.port)) as client:
        client.sendall(sent)
        client.settimeout(5)
        client.shutdown(socket.SHUT_WR)
        client.recv(1000)
    assert page.ask("/").status == 200


@pytest.mark.parametrize("path", ["/", "/efa-network", "/headline", "/app.js", "//", "/" + "a" * 43 + "/"])
def test_nobody_is_answered_who_does_not_know_the_token(path, page, source):
    reply = page.ask_plainly(path)
    assert reply.status == 403
    assert b"the address that" in reply.body
    assert source.instants == []


def test_every_viewer_has_a_token_of_its_own(page):
    with viewing(FakeSource()) as other:
        assert page.ask_plainly(other.target("/")).status == 403
        assert other.ask("/").status == 200
