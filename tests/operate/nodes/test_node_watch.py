"""The nodes of a cluster, followed by a clock that does something whenever somebody waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.edge.aws.in_memory import StandingClock
from tests.operate.nodes.planted import COMPUTE, GONE, HEAD, LOGIN, NOON, Planted, failed, node, step
from trainyard.operate.nodes.node_watch import NodeEvent, WatchResult, watch


class ScriptedClock(StandingClock):
    """A clock by which a cluster lives: at each wait the next thing happens to it, until nothing is left."""

    def __init__(self, cluster: Planted, script: tuple[Callable[[], object], ...]) -> None:
        super().__init__()
        self.time = NOON
        self.cluster, self.script = cluster, list(script)
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.waits.append(seconds)
        self.cluster.now = self.time
        if self.script:
            self.script.pop(0)()


def followed(
    cluster: Planted, *script: Callable[[], object], timeout_s: float | None = None
) -> tuple[WatchResult, list[NodeEvent], list[float]]:
    """Return how a watch ended, what it told, and how long it waited each time."""
    clock = ScriptedClock(cluster, script)
    events: list[NodeEvent] = []
    return watch(cluster.look, clock, timeout_s, events.append), events, clock.waits


def running(cluster: Planted, name: str) -> Callable[[], None]:
    return lambda: cluster.write(COMPUTE, "running", steps=[step(name, "running")])


def test_it_ends_when_all_are_ready_and_tells_each_change_once(cluster):
    cluster.come_up()
    del cluster.written[COMPUTE]
    script = (running(cluster, "efa"), running(cluster, "efa"), running(cluster, "docker"), cluster.come_up)
    watched, events, _ = followed(cluster, *script)
    assert (watched.ending, watched.nodes.ok) == ("ready", True)
    assert [(event.status, event.text) for event in events if COMPUTE in event.node] == [
        ("unreported", ""),
        ("running", "step efa"),
        ("running", "step docker"),
        ("ready", ""),
    ]
    assert [event.status for event in events if HEAD in event.node] == ["ready"]


def test_a_cluster_that_is_ready_is_not_waited_for(cluster):
    cluster.come_up()
    watched, _, waits = followed(cluster)
    assert (watched.ending, watched.seconds, waits) == ("ready", 0.0, [])


def test_waits_grow_while_nothing_happens_and_begin_anew_with_a_change(cluster):
    nothing = [lambda: None] * 5
    _, _, waits = followed(cluster, *nothing, running(cluster, "efa"), cluster.come_up)
    assert waits[:6] == [5.0, 7.5, 11.25, 16.875, 25.3125, 30.0]
    assert waits[6] == 5.0


@pytest.mark.parametrize("status", ["failed", "held"])
def test_a_node_that_fails_ends_it_with_the_reason(cluster, status):
    watched, events, _ = followed(cluster, lambda: cluster.write(COMPUTE, status, steps=[failed("no route to S3")]))
    assert (watched.ending, watched.nodes.ok) == ("failed", False)
    assert events[-1].text == 'step efa with exit status 69; the node says "no route to S3"'


def test_a_node_that_failed_and_vanished_between_two_looks_ends_it(cluster):
    cluster.come_up()
    del cluster.written[COMPUTE]

    def replaced() -> None:
        cluster.write(COMPUTE, "failed", steps=[failed()])
        del cluster.nodes[COMPUTE]
        cluster.nodes[GONE] = node(GONE)

    watched, events, _ = followed(cluster, replaced)
    assert watched.ending == "failed"
    assert ("gone", "failed") in {(event.state, event.status) for event in events}


def test_nodes_that_had_failed_before_do_not_end_it_and_are_not_told(cluster):
    cluster.write(GONE, "failed", queue="cpu", steps=[failed()])
    watched, events, _ = followed(cluster, cluster.come_up)
    assert watched.ending == "ready"
    assert not watched.nodes.ok  # nothing has come up in that queue since
    assert all(GONE not in event.node for event in events)


def test_a_node_that_never_reports_ends_it_when_its_time_is_over(cluster):
    watched, _, _ = followed(cluster)
    assert (watched.ending, LOGIN in watched.nodes.findings[0].message) == ("failed", True)
    assert 600 < watched.seconds < 640


def test_nodes_that_are_missing_are_waited_for(cluster):
    cluster.come_up()
    missing = cluster.nodes.pop(COMPUTE)
    watched, _, waits = followed(cluster, lambda: None, lambda: cluster.nodes.update({COMPUTE: missing}))
    assert (watched.ending, watched.nodes.ok, len(waits)) == ("ready", True, 2)


def test_the_time_ends_it_and_no_wait_goes_beyond(cluster):
    watched, _, waits = followed(cluster, timeout_s=60)
    assert (watched.ending, watched.nodes.ok, watched.seconds, sum(waits)) == ("timeout", False, 60.0, 60.0)


def test_without_a_timeout_it_takes_the_longest_of_the_spec(cluster):
    cluster.come_up()
    cluster.write(HEAD, "deferred", role="head", steps=[step("images", "running", deferred=True)])
    watched, _, _ = followed(cluster)
    assert (watched.ending, watched.seconds) == ("timeout", 3600.0)


def test_a_node_that_vanishes_without_a_word_is_told(cluster):
    cluster.come_up()
    del cluster.written[COMPUTE]
    _, events, _ = followed(cluster, lambda: cluster.nodes.pop(COMPUTE), timeout_s=20)
    assert events[-1][1:5] == (COMPUTE, "", "gone", "unreported")
