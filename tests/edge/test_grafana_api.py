"""Grafana is asked over verified TLS, a bounded number of times, and its token goes to nobody else."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.edge.publisher import certificate
from tests.edge.scripted_grafana import answering
from trainyard.edge.grafana_api import GrafanaApi, GrafanaRefusalError
from trainyard.errors import TrainyardError

pytestmark = pytest.mark.enable_socket

HOST = "g-0123456789.grafana-workspace.us-east-2.amazonaws.com"
FINE = (200, {"version": "10.4.1"})
EXPIRED = (401, {"message": "Expired API key"})


class Tokens:
    """Gives tokens, each another."""

    def __init__(self) -> None:
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        return f"glsa_secret{self.given}"


def grafana(url: str, slept: list[float] | None = None, tokens: Tokens | None = None) -> GrafanaApi:
    return GrafanaApi(url, HOST, tokens or Tokens(), (slept if slept is not None else []).append)


def test_the_workspace_is_named_wherever_it_answers():
    with answering(FINE) as server:
        assert grafana(server.url).version() == "10.4.1"
    (asked,) = server.asked
    assert (asked.host, asked.path, asked.token) == (HOST, "/api/health", "glsa_secret1")


def test_one_token_serves_for_all_requests():
    with answering(FINE) as server:
        asking, tokens = grafana(server.url, tokens=(given := Tokens())), given
        asking.version()
        asking.ask("POST", "/api/folders", {"uid": "trainyard"})
    assert tokens.given == 1
    assert server.asked[1].body == {"uid": "trainyard"}


def test_a_token_that_has_ended_is_replaced_once_and_the_request_made_again():
    with answering(FINE, EXPIRED, FINE) as server:
        asking = grafana(server.url)
        asking.version()
        asking.ask("POST", "/api/folders", {"uid": "trainyard"})
    assert [one.token for one in server.asked] == ["glsa_secret1", "glsa_secret1", "glsa_secret2"]
    assert server.asked[2].body == {"uid": "trainyard"}


def test_a_new_token_that_is_refused_as_well_is_the_end():
    with answering(EXPIRED) as server, pytest.raises(GrafanaRefusalError, match='401, "Expired API key"') as refused:
        grafana(server.url).ask("GET", "/api/search")
    assert len(server.asked) == 2
    assert "neither the token nor a new one" in str(refused.value.hint)
    assert "glsa" not in f"{refused.value} {refused.value.hint} {refused.value.where}"


@pytest.mark.parametrize("passing", [(500, {}), (502, b"<html>"), (429, {"message": "slow down"}), None])
def test_what_passes_is_tried_again_with_growing_pauses(passing):
    slept: list[float] = []
    with answering(passing, passing, FINE) as server:
        assert grafana(server.url, slept).version() == "10.4.1"
    assert slept == [1.0, 2.0]


def test_what_does_not_pass_ends_after_five_attempts():
    slept: list[float] = []
    with (
        answering((503, {"message": "down"})) as server,
        pytest.raises(GrafanaRefusalError, match='503, "down"') as error,
    ):
        grafana(server.url, slept).version()
    assert (len(server.asked), slept) == (5, [1.0, 2.0, 4.0, 8.0])
    assert "the cluster is not affected" in str(error.value.hint)


def test_nobody_there_is_said_with_the_host_and_what_to_check():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(TrainyardError, match="Grafana does not answer: no connection") as error:
        grafana(url).version()
    assert error.value.where == HOST
    assert "network access control" in str(error.value.hint)


def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_token_is_sent(tmp_path: Path):
    with (
        answering(FINE, tls=certificate(tmp_path)) as server,
        pytest.raises(TrainyardError, match="certificate is not accepted") as error,
    ):
        grafana(server.url).version()
    assert error.value.where == HOST
    assert server.asked == []


def test_a_certificate_that_the_environment_vouches_for_is_accepted(tmp_path: Path, monkeypatch):
    context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    with answering(FINE, tls=context) as server:
        assert grafana(server.url).version() == "10.4.1"


def test_a_redirect_is_not_followed_because_the_token_would_go_along():
    with answering(FINE) as other, answering((302, f"{other.url}/login")) as server:
        with pytest.raises(GrafanaRefusalError, match="leads away from Grafana"):
            grafana(server.url).ask("GET", "/api/search")
        assert other.asked == []


@pytest.mark.parametrize("answer", [(200, b"<html>a proxy</html>"), (200, {"something": "else"}), (200, ["x"])])
def test_who_is_no_grafana_is_said_to_be_none(answer):
    with answering(answer) as server, pytest.raises(TrainyardError, match="does not answer like Grafana"):
        grafana(server.url).version()


def test_what_is_not_there_is_none_and_what_is_refused_an_error():
    with answering((404, {"message": "Dashboard not found"}), (403, {"message": "no"})) as server:
        asking = grafana(server.url)
        assert asking.find("/api/dashboards/uid/x") is None
        with pytest.raises(GrafanaRefusalError, match='403, "no"') as refused:
            asking.find("/api/dashboards/uid/x")
    assert "role of admin" in str(refused.value.hint)


def test_what_grafana_says_is_shown_on_one_line_and_not_at_any_length():
    with answering((400, {"message": "a\n b" + "x" * 1000})) as server, pytest.raises(GrafanaRefusalError) as refused:
        grafana(server.url).ask("GET", "/api/search")
    assert "\n" not in refused.value.problem
    assert len(refused.value.problem) < 300


def test_neither_token_nor_its_source_is_in_the_representation():
    asking = grafana("http://127.0.0.1:1")
    asking._key = "glsa_secret"  # as after a request
    assert "glsa" not in repr(asking)
