"""Documented queries ask for what is exported."""

from __future__ import annotations

import pytest

from tests.monitoring.words import label_names, metric_names
from trainyard.monitoring.queries import DocumentedQuery, documented_queries
from trainyard_node.samples import Metric, metrics

OF = {"slurm": "slurm", "efa": "efa", "health": "node_health", "collectors": "collectors"}
# What Prometheus adds itself: https://prometheus.io/docs/concepts/jobs_instances/
ADDED = {"job", "instance"}


def registry() -> dict[str, Metric]:
    return {name: metric for file in OF.values() for name, metric in metrics(file).items()}


@pytest.mark.parametrize("query", documented_queries(), ids=lambda query: query.id)
def test_a_query_names_metrics_and_labels_that_are_exported(query: DocumentedQuery):
    known = registry()
    names = metric_names(query.query)
    assert names <= set(known)
    assert names or "up{" in query.query
    labels = {label for name in names for label in known[name].labels}
    assert label_names(query.query) <= labels | ADDED


@pytest.mark.parametrize("query", documented_queries(), ids=lambda query: query.id)
def test_a_query_is_shown_with_the_metrics_that_it_asks_for(query: DocumentedQuery):
    assert metric_names(query.query) & set(metrics(OF[query.about])) or query.id == "exporter-away"


def test_a_query_has_a_name_of_its_own():
    names = [query.id for query in documented_queries()]
    assert sorted(set(names)) == sorted(names)


def test_names_are_found_in_a_query_and_nothing_in_quotes_is():
    query = 'sum by (a, b) (slurm_x{c=~"d=e slurm_y"}) - on (f) trainyard_z == 0'
    assert metric_names(query) == {"slurm_x", "trainyard_z"}
    assert label_names(query) == {"a", "b", "c", "f"}
