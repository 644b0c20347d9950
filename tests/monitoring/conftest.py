"""A whole cluster that is scraped, once for all tests of a module: its exporters run in threads, which need sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.monitoring.whole_cluster import WholeCluster, whole_cluster


@pytest.fixture(scope="module")
def p5_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeCluster]:
    """Return one in which a GPU has fallen ill, and which is otherwise as it should be."""
    with whole_cluster(tmp_path_factory.mktemp("p5"), ill=True) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def healthy_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeCluster]:
    """Return one with nothing wrong."""
    with whole_cluster(tmp_path_factory.mktemp("healthy")) as cluster:
        yield cluster
