"""What a browser may ask."""

from __future__ import annotations

import pytest

from trainyard.operate.monitoring.viewer.requests import BadRequestError, is_from_here, parse_request
from trainyard.operate.monitoring.viewer.selection import Selection

NOW = 1_795_286_880


def test_a_request_says_what_is_chosen_and_when():
    found = parse_request(f"/data/efa-network?from={NOW - 900}&to={NOW}&cluster=a%20b&node=x&node=y&queue=")
    assert found.path == "/data/efa-network"
    assert found.selection() == Selection(("a b",), (), ("x", "y"))
    assert (found.window(NOW).start_s, found.window(NOW).end_s) == (NOW - 900, NOW)


def test_without_a_time_it_is_the_last_hour_and_the_future_is_not_asked_for():
    assert parse_request("/").window(NOW).end_s - parse_request("/").window(NOW).start_s == 3600
    assert parse_request(f"/?from={NOW - 3600}&to={NOW + 9999}").window(NOW).end_s == NOW


def test_the_address_of_a_page_says_how_long_before_its_end():
    window = parse_request(f"/efa-network?to={NOW}&range=900").window(NOW + 9999)
    assert (window.start_s, window.end_s) == (NOW - 900, NOW)


@pytest.mark.parametrize(
    "query",
    [
        "from=x", "from=1e9", "from=-1", "from=1&from=2", f"from={NOW}", f"from={NOW + 60}", "from=0",
        f"from={NOW - 40 * 86_400}", "from=999999999999999999999", "to=\u0661",
    ],
)  # fmt: skip
def test_a_time_that_is_none_or_too_long_is_refused(query):
    with pytest.raises(BadRequestError):
        parse_request(f"/data/x?{query}").window(NOW)


@pytest.mark.parametrize("query", ["&".join(f"node=n{number}" for number in range(51)), f"node={'x' * 201}"])
def test_more_or_longer_names_than_anybody_chooses_are_refused(query):
    with pytest.raises(BadRequestError):
        parse_request(f"/data/x?{query}").selection()


@pytest.mark.parametrize("target", ["/?" + "&".join("a=1" for _ in range(300)), "/?node=%ff", "http://[::1/"])
def test_what_cannot_be_read_is_refused(target):
    with pytest.raises(BadRequestError):
        parse_request(target)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Host": "127.0.0.1:80"}, True),
        ({"Host": "localhost:80"}, True),
        ({"Host": "localhost:81"}, False),
        ({"Host": "localhost"}, False),
        ({"Host": "evil.example:80"}, False),
        ({"Host": "127.0.0.1:80.evil.example"}, False),
        ({}, False),
        ({"Host": "localhost:80", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Host": "localhost:80", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, False),
        ({"Host": "localhost:80", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, True),
    ],
)
def test_only_the_own_page_may_ask(headers, expected):
    assert is_from_here(headers, 80) is expected
