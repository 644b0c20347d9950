"""Answers are kept for a moment, errors are not, and nobody asks twice at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.viewer.memory import Memory


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_answer_is_kept_for_its_time_and_then_asked_for_anew():
    clock = Clock()
    memory = Memory(10, clock)
    counted = iter(range(10))
    assert [memory.get("a", lambda: next(counted)) for _ in range(2)] == [0, 0]
    clock.now = 11
    assert memory.get("a", lambda: next(counted)) == 1


def test_an_error_is_raised_and_forgotten():
    memory = Memory(10)

    def fail() -> None:
        raise TrainyardError("down")

    with pytest.raises(TrainyardError, match="down"):
        memory.get("a", fail)
    assert memory.get("a", lambda: "up again") == "up again"


def test_who_asks_meanwhile_waits_for_the_same_answer():
    memory = Memory(10)
    go_on, asked = threading.Event(), []

    def ask() -> str:
        asked.append(1)
        go_on.wait(300)
        return "answer"

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(memory.get, "a", ask) for _ in range(4)]
        go_on.set()
        assert [future.result(10) for future in futures] == ["answer"] * 4
    assert len(asked) == 1


def test_it_does_not_grow_without_end():
    memory = Memory(1000)
    for number in range(5000):
        memory.get(number, lambda: None)
    assert len(memory._known) <= 513
