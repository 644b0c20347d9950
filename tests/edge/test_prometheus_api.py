"""The client of Prometheus' HTTP API, against a server that answers and refuses in every way."""

from __future__ import annotations

import math
import socket
from dataclasses import replace
from typing import Any

import pytest

from tests.edge.prometheus_stand_in import Says, data, standing_in
from tests.edge.publisher import certificate
from tests.waiting import HANGS_S
from trainyard.edge.http_client import HttpClient
from trainyard.edge.prometheus_api import PrometheusApi, Sample, Series
from trainyard.edge.prometheus_authorization import Anonymous, FixedHeader, from_environment
from trainyard.edge.prometheus_connection import AMAZON, Connection, address
from trainyard.errors import InputError, TrainyardError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ERROR = '{"status": "error", "errorType": "%s", "error": "%s"}'


def http(**changes: Any) -> HttpClient:
    """Return what a connection has of itself, without its pauses."""
    return replace(Connection("").http, **{"sleep": lambda _: None, **changes})


@pytest.fixture
def server():
    with standing_in() as made:
        yield made


@pytest.fixture
def connection(server):
    return Connection(server.url, http=http(timeout_s=HANGS_S))


@pytest.fixture
def api(connection):
    return PrometheusApi(connection)


def test_a_query_returns_labels_times_and_values_whatever_the_values_are(server, api):
    found = [{"metric": {"node": name}, "value": [10.5, value]} for name, value in (("a", "NaN"), ("b", "+Inf"))]
    server.answers = [data({"resultType": "vector", "result": found})]
    first, second = api.query("up", 10.5)
    assert math.isnan(first.value)
    assert second == Sample({"node": "b"}, 10.5, math.inf)
    method, path, fields, headers, _ = server.requests[0]
    assert (method, path) == ("POST", "/api/v1/query")
    assert fields == [("query", "up"), ("stats", "all"), ("time", "10.500")]
    assert "Authorization" not in headers


def test_a_number_without_labels_is_a_sample_too(server, api):
    server.answers = [data({"resultType": "scalar", "result": [10, "3"]})]
    assert api.query("scalar(x)") == [Sample({}, 10, 3.0)]


def test_it_is_told_how_much_was_read_for_a_query(server, api):
    server.answers = [
        data({"resultType": "vector", "result": [], "stats": {"samples": {"totalQueryableSamples": 7}}}),
        data({"resultType": "vector", "result": []}),
    ]
    assert [api.measured_query("up")[1] for _ in range(2)] == [7, None]


def test_a_range_returns_the_points_of_every_series(server, api):
    series = {"metric": {"gpu": "0"}, "values": [[0, "1"], [60, "2.5"]]}
    server.answers = [data({"resultType": "matrix", "result": [series]})]
    assert api.query_range("x", 0, 60, 60) == [Series({"gpu": "0"}, [(0, 1.0), (60, 2.5)])]
    assert server.requests[0][2] == [("query", "x"), ("start", "0.000"), ("end", "60.000"), ("step", "60.000")]


@pytest.mark.parametrize(
    ("ask", "answer", "expected", "path"),
    [
        (lambda api: api.series(["up", 'x{a="b"}']), [{"job": "node"}], [{"job": "node"}], "series"),
        (lambda api: api.label_values("queue"), ["b", "a"], ["a", "b"], "label/queue/values"),
        (lambda api: api.metadata("up"), {"up": [{"type": "gauge"}]}, {"up": [{"type": "gauge"}]}, "metadata"),
        (lambda api: api.rules(), {"groups": [{"name": "g"}]}, [{"name": "g"}], "rules"),
        (lambda api: api.alerts(), {"alerts": [{"state": "firing"}]}, [{"state": "firing"}], "alerts"),
        (lambda api: api.targets(), {"activeTargets": [{"health": "up"}]}, [{"health": "up"}], "targets"),
    ],
)
def test_everything_else_is_asked_at_its_place(ask, answer, expected, path, server):
    server.answers = [data(answer)]
    assert ask(PrometheusApi(Connection(server.url))) == expected
    assert server.requests[0][1] == f"/api/v1/{path}"


def test_a_label_of_any_name_stays_one_part_of_the_path(server, api):
    server.answers = [data([])]
    api.label_values("a/../b?c")
    assert server.requests[0][1] == "/api/v1/label/a%2F..%2Fb%3Fc/values"


def test_ready_means_ready_and_a_prometheus(server, api):
    server.answers = [Says("ready"), data({"resultType": "vector", "result": []})]
    api.expect_ready()
    server.answers = [Says("Service Unavailable", status=503)]
    with pytest.raises(TrainyardError, match="status 503") as error:
        api.expect_ready()
    assert "starting" in str(error.value.hint)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_asked_again_and_then_given_up(status, server, api):
    server.answers = [Says("busy", status=status), Says()]
    assert api.query("up") == []
    server.answers = [Says("busy", status=status)]
    server.requests.clear()
    with pytest.raises(TrainyardError, match=f"status {status}: busy"):
        api.query("up")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [(400, "bad_data", "parse error"), (422, "execution", "too many samples"), (503, "timeout", "query timed out")],
)
def test_an_error_in_a_query_is_told_in_the_words_of_prometheus_and_at_once(status, kind, said, server, api):
    server.answers = [Says(ERROR % (kind, said), status=status)]
    with pytest.raises(TrainyardError, match=f"could not answer the query: {said}") as error:
        api.query("up{")
    assert error.value.hint
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (Says("<html>welcome</html>", headers={"Content-Type": "text/html"}), "not JSON"),
        (Says("[]"), "not of the form"),
        (Says('{"status": "success"}'), "not of the form"),
        (Says('{"status": "success", "data": {"resultType": "streams", "result": []}}'), "has no values"),
        (Says("", status=302, headers={"Location": "https://sso/login"}), "leads elsewhere, to https://sso/login"),
        (Says("<html>no such page</html>", status=404), "status 404$"),
    ],
)
def test_something_that_is_no_prometheus_is_named_as_such(says, words, server, api):
    server.answers = [says]
    with pytest.raises(TrainyardError, match=words) as error:
        api.query("up")
    assert error.value.hint
    assert len(server.requests) == 1, "a redirect is never followed: it would take the password along"


@pytest.mark.parametrize("status", [401, 403])
def test_who_may_not_ask_is_told_where_a_secret_belongs(status, server, api):
    server.answers = [Says("Unauthorized", status=status)]
    with pytest.raises(TrainyardError) as error:
        api.query("up")
    assert "TRAINYARD_PROMETHEUS_TOKEN" in str(error.value.hint)
    assert status == 403 or "one that has ended has to be renewed" in str(error.value.hint)


def test_an_answer_without_end_is_not_read_to_its_end(server, connection):
    server.answers = [Says('"' + "x" * 5_000_000, packed=True)]
    with pytest.raises(TrainyardError, match="larger than 1 MiB"):
        PrometheusApi(replace(connection, http=http(most_bytes=1 << 20))).query("up")


def test_a_server_that_says_nothing_ends_after_the_time_limit_and_is_not_asked_again(server, connection):
    server.answers = [Says(silent=True)]
    with pytest.raises(TrainyardError, match=r"did not answer within 0\.3 s"):
        PrometheusApi(replace(connection, http=http(timeout_s=0.3))).query("up")
    assert len(server.requests) == 1


def test_a_port_where_nobody_listens_is_told_with_what_to_do():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(TrainyardError, match=f"no Prometheus answers at http://127.0.0.1:{port}: Connection") as error:
        PrometheusApi(Connection(f"http://127.0.0.1:{port}", http=http())).query("up")
    assert "port forwarded" in str(error.value.hint)


def test_a_certificate_that_nobody_vouches_for_is_refused_once(tmp_path):
    tls = certificate(tmp_path)
    pauses: list[float] = []
    with standing_in(tls) as server:
        with pytest.raises(TrainyardError, match=r"the certificate of .* is not accepted") as error:
            PrometheusApi(Connection(server.url, http=http(sleep=pauses.append))).query("up")
        assert server.requests == []
    assert pauses == []
    assert "SSL_CERT_FILE" in str(error.value.hint)


def test_https_where_plain_http_is_spoken_is_told(server):
    with pytest.raises(TrainyardError, match="does not speak https"):
        PrometheusApi(Connection(server.url.replace("http:", "https:"), http=http())).query("up")


def test_a_certificate_of_an_authority_that_is_named_is_accepted(tmp_path, monkeypatch):
    tls = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    with standing_in(tls) as server:
        assert PrometheusApi(Connection(server.url)).query("up") == []


def test_a_token_or_a_password_goes_with_every_request(server, connection):
    token = from_environment({"TRAINYARD_PROMETHEUS_TOKEN": "abc"})
    person = from_environment({"TRAINYARD_PROMETHEUS_USER": "me", "TRAINYARD_PROMETHEUS_PASSWORD": "pass:word"})
    for authorization in (token, person):
        PrometheusApi(replace(connection, authorization=authorization)).query("up")
    assert [headers["Authorization"] for *_, headers, _ in server.requests] == ["Bearer abc", "Basic bWU6cGFzczp3b3Jk"]
    assert isinstance(from_environment({}), Anonymous)
    assert "abc" not in repr(FixedHeader("abc"))


@pytest.mark.parametrize(
    "environment",
    [
        {"TRAINYARD_PROMETHEUS_TOKEN": "a", "TRAINYARD_PROMETHEUS_USER": "b"},
        {"TRAINYARD_PROMETHEUS_USER": "b"},
        {"TRAINYARD_PROMETHEUS_PASSWORD": "b"},
        {"TRAINYARD_PROMETHEUS_TOKEN": "a\r\nX: y"},
    ],
)
def test_half_a_secret_or_one_with_line_breaks_is_refused(environment):
    with pytest.raises(InputError) as error:
        from_environment(environment)
    assert error.value.hint


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://localhost:9090", "http://localhost:9090"),
        ("http://localhost:9090/", "http://localhost:9090"),
        ("http://[::1]:9090/graph", "http://[::1]:9090"),
        ("http://localhost:9090/graph?g0.expr=up", "http://localhost:9090"),
        ("https://proxy/prometheus/api/v1/query", "https://proxy/prometheus"),
        (
            "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1/api/v1/remote_write",
            "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1",
        ),
    ],
)
def test_what_people_copy_with_an_address_is_left_out(written, meant):
    assert address(written) == meant


@pytest.mark.parametrize("written", ["localhost:9090", "ftp://x", "http://", "http://x:99999", "http://x:0", ""])
def test_what_is_no_address_is_refused_with_an_example(written):
    with pytest.raises(InputError) as error:
        address(written)
    assert "http://localhost:9090" in str(error.value.hint)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(InputError) as error:
        address("http://me:secret@host:9090")
    assert "secret" not in f"{error.value} {error.value.hint}"


def test_the_addresses_of_workspaces_are_known_with_their_region():
    for host in ("aps-workspaces.us-east-2.amazonaws.com", "aps-workspaces-fips.us-east-2.api.aws"):
        found = AMAZON.match(f"https://{host}/workspaces/ws-1")
        assert found is not None
        assert found[1] == "us-east-2"
    for other in ("http://localhost:9090", "https://aps-workspaces.us-east-2.amazonaws.com.evil.org/workspaces/ws-1"):
        assert AMAZON.match(other) is None
