"""What the HTTP client does for all who use it; their own tests have the rest."""

from __future__ import annotations

import pytest

from tests.edge.prometheus_stand_in import Says, standing_in
from trainyard.edge.http_client import HttpClient

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


@pytest.mark.parametrize(
    ("asked", "pause_s"), [("7", 7), ("3600", 60), ("0", 1), ("Wed, 21 Oct 2026 07:28:00 GMT", 1), ("-5", 1)]
)
def test_a_busy_server_is_given_the_time_that_it_asks_for_up_to_a_minute(asked, pause_s):
    pauses: list[float] = []
    with standing_in() as server:
        server.answers = [Says("busy", status=429, headers={"Retry-After": asked}), Says("fine")]
        reply = HttpClient(sleep=pauses.append).ask("GET", f"{server.url}/x", dict)
    assert (reply.status, reply.body, pauses) == (200, b"fine", [pause_s])


def test_name_and_password_of_a_proxy_go_to_the_proxy(monkeypatch):
    with standing_in() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("http://", "http://me:pass%3Aword@"))
        monkeypatch.delenv("no_proxy", raising=False)
        proxy.answers = [Says("fine")]
        assert HttpClient().ask("GET", "http://prometheus.invalid/x", dict).body == b"fine"
    headers = {name.lower(): value for name, value in proxy.requests[0][3].items()}
    assert headers["proxy-authorization"] == "Basic bWU6cGFzczp3b3Jk"
