"""Alerts in words: what `trainyard explain` prints of them, and where those who are warned are sent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trainyard.api.explain import explain_id, findings
from trainyard.monitoring.alert import alerts, readable_template, title
from trainyard.monitoring.prometheus_rules import alert_rules

PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")
EACH = pytest.mark.parametrize("alert", alerts(), ids=[alert.id for alert in alerts()])
RULES = {rule["alert"]: rule for group in alert_rules()["groups"] for rule in group["rules"] if "alert" in rule}


@EACH
def test_an_alert_is_explained_with_all_that_its_page_says(alert):
    explanation = explain_id(alert.id)
    assert (explanation.kind, explanation.severity) == ("alert", alert.severity)
    assert all(step in explanation.remedy for step in alert.remedy)
    assert " ".join(alert.why.split()) in explanation.rationale
    assert " ".join(alert.rule.split()) in explanation.rationale
    assert all(source in explanation.source for source in alert.sources)


@EACH
def test_the_runbook_of_an_alert_names_a_command_that_works_and_a_section_that_is_there(alert):
    runbook = RULES[alert.id]["annotations"]["runbook"]
    match = re.fullmatch(r"trainyard explain (\S+), or docs/alerts\.md#(\S+)", runbook)
    assert match is not None
    assert explain_id(match[1]).id == alert.id
    assert f"\n## {match[2]}\n" in PAGE


@EACH
def test_no_template_is_left_in_words(alert):
    assert "{{" not in readable_template(alert.description) + title(alert.summary)


def test_labels_and_values_have_a_place_in_words():
    template = "GPU {{ $labels.gpu }} has {{ $value | humanizePercentage }} left"
    assert readable_template(template) == "GPU `GPU` has … left"
    assert title(template) == "GPU <gpu> has … left"


def test_the_page_of_findings_has_no_alerts():
    assert not [finding for finding in findings() if finding.kind == "alert"]
    assert "(alert, " not in (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
