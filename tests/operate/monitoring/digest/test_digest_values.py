"""What the digest asks, and what it makes of the answers."""

from __future__ import annotations

import pytest

from tests.monitoring.promql import digest_exprs, exported, unknown_in
from tests.operate.monitoring.digest.digests import AnsweringSource, a_week
from trainyard.catalog.prices import instance_hour
from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.digest.digest_values import DigestPeriod, digest_values

WEEK = DigestPeriod(7, 1_795_000_000.0)


@pytest.mark.parametrize("expr", digest_exprs())
def test_a_question_names_what_is_exported_and_has_no_word_left(expr: str):
    assert unknown_in(expr, exported()) == []
    assert "$" not in expr


def test_hours_and_money_are_those_of_the_nodes():
    values = digest_values(a_week(), "llm", "us-east-2", WEEK)
    price = instance_hour("p5.48xlarge", "us-east-2")
    assert price is not None
    assert values["node_hours"] == pytest.approx(16 * 168)
    assert values["usd"] == pytest.approx(16 * 168 * price.usd)
    assert values["idle_usd"] == pytest.approx(values["usd"] / 5)
    assert values["node_mtbf_hours"] == pytest.approx(8 * 168)


def test_without_a_region_there_are_hours_and_no_money_and_it_says_so():
    values = digest_values(a_week(), None, None, WEEK)
    assert (values["usd"], values["idle_usd"], values["hours"][0]["usd"]) == (None, None, None)
    assert values["node_hours"] == pytest.approx(16 * 168)
    assert "No price is known of p5.48xlarge without --region." in values["notes"]


def test_without_a_failure_there_is_no_time_between_failures():
    source = a_week()
    source.answers["resets("] = [({}, 0.0)]
    assert digest_values(source, "llm", "us-east-2", WEEK)["node_mtbf_hours"] is None


def test_the_slowest_node_and_the_most_frequent_alert_stand_first():
    tables = {table["id"]: table for table in digest_values(a_week(), "llm", "us-east-2", WEEK)["tables"]}
    assert [row["labels"][0] for row in tables["slow_nodes"]["rows"]] == ["ip-10-0-0-1", "ip-10-0-0-2"]
    assert tables["alerts"]["rows"] == [{"labels": ["gpu-hot", "warning"], "value": 3.5}]


def test_it_asks_for_the_cluster_and_the_days_alone():
    source = a_week()
    digest_values(source, "a.b", "us-east-2", DigestPeriod(30, 0.0))
    assert all('cluster=~"a\\\\.b' in expr for expr in source.instants)
    assert not any("7d" in expr for expr in source.instants)
    assert {round(end - start) for _, start, end, _ in source.ranges} == {30 * 86_400}


def test_what_cannot_be_asked_is_a_note_and_all_else_is_told():
    source = a_week()
    source.answers["slurm_gpus_alloc"] = TrainyardError("the query would load too many samples", where="prometheus")
    values = digest_values(source, "llm", "us-east-2", WEEK)
    assert "Not all could be asked: the query would load too many samples." in values["notes"]
    assert values["node_hours"] == pytest.approx(16 * 168)


def test_where_nothing_can_be_asked_it_fails():
    source = AnsweringSource(answers={"": TrainyardError("no Prometheus answers", where="prometheus")})
    with pytest.raises(TrainyardError, match="no Prometheus answers"):
        digest_values(source, "llm", "us-east-2", WEEK)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_told(value: float):
    source = a_week()
    source.answers["slurm_gpus_alloc"] = [({}, value)]
    values = digest_values(source, "llm", "us-east-2", WEEK)
    assert next(figure["value"] for figure in values["figures"] if figure["id"] == "gpus_allocated") is None
    assert not any(line["points"] for line in values["lines"] if line["id"] == "gpus_allocated")
