"""``trainyard monitor digest`` beside a server that answers like Prometheus."""

from __future__ import annotations

import json

import pytest

from tests.edge.prometheus_stand_in import data, standing_in

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ONE = data({"resultType": "vector", "result": [{"metric": {"instance_type": "p5.48xlarge"}, "value": [0, "1008"]}]})
LINE = data({"resultType": "matrix", "result": [{"metric": {}, "values": [[0, "50"]]}]})


@pytest.fixture
def server():
    with standing_in() as made:
        made.answers = [*[ONE] * 13, LINE]
        yield made


def test_it_prints_the_text_and_writes_the_page(server, trainyard, tmp_path):
    ran = trainyard("monitor", "digest", "--prometheus", server.url, "-o", "digest.html")
    assert ran.status == 0
    assert ran.out.startswith("All clusters: 168 of 168 node-hours stood idle in 7 days\n")
    assert ran.err == f"asking {server.url}\nwritten: digest.html\n"
    assert (tmp_path / "digest.html").read_text().startswith("<!doctype html>")


def test_the_same_for_programs(server, trainyard):
    ran = trainyard("monitor", "digest", "--prometheus", server.url, "--region", "us-east-2", "--json")
    values = json.loads(ran.out)
    assert (ran.status, values["schema"], values["written"], values["sent"]) == (0, 1, None, None)
    assert values["hours"][0]["usd_per_hour"] > 0


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "NAME or --prometheus has to be given"),
        (("--prometheus", "http://127.0.0.1:1"), 1, "no Prometheus answers at http://127.0.0.1:1"),
        (("--prometheus", "http://127.0.0.1:1", "--send"), 2, "--send needs NAME"),
        (("mine",), 2, "nothing says which region"),
        (("--prometheus", "http://127.0.0.1:1", "--days", "0"), 2, "--days"),
        (("--prometheus", "http://127.0.0.1:1", "--force"), 2, "--force has no meaning without --output"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(arguments, status, words, trainyard):
    ran = trainyard("monitor", "digest", *arguments)
    assert ran.status == status
    assert words in ran.err.splitlines()[-1]
    assert ran.out == ""
