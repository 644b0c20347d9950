"""What metrics are labelled with, as the page of `monitor view` is sent it: on one line, cut, and only what is seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK
from tests.operate.monitoring.viewer.fake_source import FakeSource
from tests.operate.monitoring.viewer.viewing import Viewing, viewing
from trainyard.monitoring.dashboard import dashboards

pytestmark = pytest.mark.enable_socket
LABELS = ("node_name", "job", "alertname", "severity", "device", "mountpoint", "check", "queue", "instance", "gpu")


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[FakeSource, Viewing]]:
    source = FakeSource()
    with viewing(source) as viewer:
        yield source, viewer


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member)
    elif isinstance(value, str):
        yield value


@each_case("number, text", list(enumerate(FORGERIES.values())), ids=FORGERIES)
def test_nothing_of_a_label_commands_the_page(number: int, text: str, running: tuple[FakeSource, Viewing]):
    source, viewer = running
    source.values = [(dict.fromkeys(LABELS, text) | {text: text}, 1.0)]
    source.label_names = {"cluster": [text, "llm"]}
    source.targets = [{"queue": text, "node_name": text}]
    asked = f"to={1_790_000_000 - 86_400 * number}"  # another answer than the one before
    dashboard = list(dashboards())[number % len(dashboards())].id
    answers = [viewer.ask(f"/{what}?{asked}").lines() for what in (f"data/{dashboard}", "headline", "variables")]
    told = list(texts(answers))
    assert any(MARK in words for words in told)
    assert all(words.isprintable() and len(words) <= 300 for words in told)
    assert "llm" in answers[2][0]["cluster"]
