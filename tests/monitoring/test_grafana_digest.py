"""What Grafana does to a dashboard by itself changes no digest; what a person does changes it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from trainyard.monitoring.grafana_mark import content_digest, own_content

OURS: dict[str, Any] = {
    "uid": "trainyard-storage",
    "title": "Storage",
    "panels": [{"id": 1, "title": "Used", "fieldConfig": {"defaults": {"max": 1.0, "min": None}}}],
    "templating": {"list": [{"name": "queue", "query": "label_values(queue)"}]},
}


def of_grafana() -> dict[str, Any]:
    """Return it as Grafana gives it out: in another order, without empty keys, with numbers and choices of its own."""
    given: dict[str, Any] = json.loads(json.dumps(OURS, sort_keys=True).replace("1.0", "1"))
    del given["panels"][0]["fieldConfig"]["defaults"]["min"]
    given["templating"]["list"][0] |= {"current": {"text": "gpu", "value": "gpu"}, "options": []}
    return {"id": 17, "version": 4, "iteration": 1700000000, "gnetId": None, **given}


def test_what_grafana_adds_changes_nothing():
    assert content_digest(of_grafana()) == content_digest(OURS)
    assert own_content(of_grafana()) == own_content(OURS)


def test_what_is_given_is_left_as_it_was():
    before = copy.deepcopy(OURS)
    content_digest(OURS)
    assert before == OURS


@pytest.mark.parametrize(
    "edited",
    [
        {"title": "My storage"},
        {"uid": "mine"},
        {"panels": []},
        {"panels": [{**OURS["panels"][0], "title": "Mine"}]},
        {"panels": [{**OURS["panels"][0], "id": 2}]},
        {"templating": {"list": [{"name": "queue", "query": "label_values(up, queue)"}]}},
        {"refresh": "5s"},
    ],
    ids=json.dumps,
)
def test_what_a_person_edits_changes_it(edited: dict[str, Any]):
    assert content_digest({**of_grafana(), **edited}) != content_digest(OURS)


def test_a_dashboard_without_variables_has_a_digest():
    assert content_digest({"title": "a"}) == content_digest({"id": 3, "title": "a", "version": 2})
    assert content_digest({"title": "a"}) != content_digest({"title": "b"})
