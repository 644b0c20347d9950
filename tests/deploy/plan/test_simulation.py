"""Nodes that share links: what always holds, however many there are and whatever they do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.deploy.plan.simulation import (
    ATTEMPTS,
    FIRST_PAUSE_S,
    Busy,
    Fetch,
    Link,
    SimulatedNode,
    distribution,
    simulate,
)

LINKS = st.builds(Link, st.floats(1, 100), st.one_of(st.none(), st.floats(1, 500)))
BUSY = st.builds(Busy, st.floats(0, 300))
FETCH = st.builds(Fetch, st.just("s3"), st.floats(0, 2000), st.integers(0, 2))
NODES = st.lists(
    st.builds(SimulatedNode, st.floats(0, 60), st.lists(st.one_of(BUSY, FETCH), max_size=6)), min_size=1, max_size=12
)
ONE_FETCH = st.lists(
    st.builds(
        lambda start, busy, fetch, rest: SimulatedNode(start, [busy, fetch, rest]), st.floats(0, 60), BUSY, FETCH, BUSY
    ),
    min_size=1,
    max_size=12,
)


def bytes_in(nodes: list[SimulatedNode]) -> float:
    return sum(part.size_bytes for node in nodes for part in node.work if isinstance(part, Fetch))


def ended(nodes: list[SimulatedNode], link: Link) -> list[float]:
    return [outcome.ended_s for outcome in simulate(nodes, {"s3": link})]


def alone_s(node: SimulatedNode, link: Link) -> float:
    """Return how many seconds the work of a node takes when there is no other: the sum of its parts."""
    return sum(part.seconds if isinstance(part, Busy) else fetch_s(part, link) for part in node.work)


def fetch_s(fetch: Fetch, link: Link) -> float:
    pauses_s = sum(FIRST_PAUSE_S * 2.0**attempt for attempt in range(min(fetch.refused, ATTEMPTS - 1)))
    rate = min(link.node_bytes_s, link.all_bytes_s or link.node_bytes_s)
    return pauses_s + (0.0 if fetch.refused >= ATTEMPTS else fetch.size_bytes / rate)


def roughly(seconds: float) -> float:
    return seconds * (1 + 1e-9) + 1e-6


@given(node=NODES.map(lambda nodes: nodes[0]), link=LINKS)
def test_one_node_alone_takes_the_sum_of_its_steps(node, link):
    (end,) = ended([node], link)
    assert end == pytest.approx(node.start_s + alone_s(node, link))


@given(nodes=NODES, link=LINKS)
def test_no_node_is_quicker_than_alone_or_slower_than_the_link_needs_for_everything(nodes, link):
    all_s = bytes_in(nodes) / link.all_bytes_s if link.all_bytes_s else 0.0
    for node, end in zip(nodes, ended(nodes, link), strict=True):
        earliest = node.start_s + alone_s(node, link)
        assert earliest <= roughly(end)
        assert end <= roughly(earliest + all_s)


@given(nodes=ONE_FETCH, link=LINKS, factor=st.floats(1, 10))
def test_more_bandwidth_makes_nodes_that_fetch_once_never_slower(nodes, link, factor):
    wider = Link(link.node_bytes_s * factor, None if link.all_bytes_s is None else link.all_bytes_s * factor)
    assert all(new <= roughly(old) for new, old in zip(ended(nodes, wider), ended(nodes, link), strict=True))


@given(
    sizes=st.lists(st.floats(1, 2000), min_size=1, max_size=20),
    all_bytes_s=st.floats(1, 500),
    node_bytes_s=st.floats(1, 100),
)
def test_work_is_conserved_at_a_link_that_everybody_waits_for(sizes, all_bytes_s, node_bytes_s):
    """While all of a link is in use, it is idle at no time: the last byte comes when all bytes have had their turn."""
    link = Link(max(node_bytes_s, all_bytes_s), all_bytes_s)
    last = max(ended([SimulatedNode(0, [Fetch("s3", size)]) for size in sizes], link))
    assert last == pytest.approx(sum(sizes) / all_bytes_s)


@given(nodes=NODES, link=LINKS)
def test_a_node_more_makes_no_node_that_fetches_nothing_slower(nodes, link):
    busy = SimulatedNode(0, [Busy(100)])
    assert ended([*nodes, busy], link)[-1] == 100


@given(nodes=NODES, link=LINKS)
def test_the_order_in_which_nodes_are_listed_does_not_matter(nodes, link):
    turned = ended(nodes[::-1], link)[::-1]
    assert turned == pytest.approx(ended(nodes, link))


def test_two_nodes_share_a_link_evenly():
    nodes = [SimulatedNode(0, [Fetch("s3", 100)]), SimulatedNode(5, [Fetch("s3", 25)])]
    assert ended(nodes, Link(10, 10)) == [12.5, 10]


@pytest.mark.parametrize(("all_bytes_s", "end"), [(None, 10), (1000, 10), (5, 20)])
def test_a_node_gets_its_own_limit_and_never_more_than_the_link_has(all_bytes_s, end):
    assert ended([SimulatedNode(0, [Fetch("s3", 100)])], Link(10, all_bytes_s)) == [end]


def test_links_do_not_disturb_each_other():
    links = {"s3": Link(10, 10), "mirror": Link(10, 10)}
    nodes = [SimulatedNode(0, [Fetch("s3", 100)]), SimulatedNode(0, [Fetch("mirror", 100)])]
    assert [outcome.ended_s for outcome in simulate(nodes, links)] == [10, 10]


def test_more_bandwidth_can_make_one_node_slower_where_others_come_back_sooner():
    """A trap of sharing, not of the simulation: with a tenth more, nine nodes are back before the tenth is done."""
    others = [SimulatedNode(0, [Fetch("s3", 10 / 9), Busy(5), Fetch("s3", 10)]) for _ in range(9)]
    nodes = [*others, SimulatedNode(10, [Fetch("s3", 5)])]
    assert ended(nodes, Link(10, 1.1))[-1] > ended(nodes, Link(10, 1.0))[-1]


def test_a_refused_fetch_is_tried_again_after_pauses_that_double():
    assert ended([SimulatedNode(0, [Fetch("s3", 100, refused=2)])], Link(10)) == [5 + 10 + 10]


def test_a_node_that_is_refused_every_time_has_failed():
    node = SimulatedNode(1, [Fetch("s3", 100, refused=5), Busy(1000)])
    (outcome,) = simulate([node], {"s3": Link(10)})
    assert outcome == (1 + 5 + 10 + 20 + 40, True)


def test_ranks_are_those_of_the_nodes_themselves():
    assert distribution(range(1, 101)) == (1, 50, 99, 100)
    assert distribution([7.0]) == (7, 7, 7, 7)
    assert distribution([]) is None


def test_a_thousand_nodes_take_no_noticeable_time():
    count = 1000
    work = [part for _ in range(6) for part in (Busy(10), Fetch("s3", 1e9))]
    nodes = [SimulatedNode(index / count, work) for index in range(count)]
    before = time.process_time()
    ended(nodes, Link(6e8, 6e8))
    assert time.process_time() - before < 1
