"""A diagnosis as values: what programs read."""

from __future__ import annotations

import json

from tests.diagnose.report.diagnoses import HOSTILE, diagnosis
from trainyard.diagnose.diagnosis_values import diagnosis_values, has_errors, redact_values

CAUSE = {
    "cause", "title", "severity", "kind", "signature", "signatures", "confidence", "count", "nodes", "first_seen",
    "last_seen", "evidence", "explanation", "facts", "share", "remedy", "source",
}  # fmt: skip


def test_every_cause_has_the_documented_keys():
    values = diagnosis_values(diagnosis())
    assert [cause["cause"] for cause in values["causes"]] == ["gpu-lost", "slow"]
    assert all(cause.keys() == CAUSE | {"consequences"} for cause in values["causes"])
    assert all(one.keys() == CAUSE for one in (*values["harmless"], *values["causes"][0]["consequences"]))
    assert values["causes"][0]["evidence"][0].keys() == {"file", "line", "text", "node", "time", "at"}


def test_lines_stand_as_they_are():
    values = diagnosis_values(diagnosis(hostile=HOSTILE))
    assert values["causes"][0]["evidence"][0]["text"] == HOSTILE
    assert json.loads(json.dumps(values)) == values


def test_times_are_utc_and_what_has_none_is_null():
    values = diagnosis_values(diagnosis())
    assert values["causes"][0]["first_seen"] == "2026-05-06T12:00:00Z"


def test_a_redaction_leaves_our_own_words():
    values = diagnosis_values(diagnosis(hostile=" on i-02b054fb6149dfb15"))
    hidden = redact_values(values)
    assert hidden["causes"][0]["evidence"][0]["text"] == " on instance-1"
    assert list(hidden["causes"][0]["nodes"]) == ["host-1 on instance-1"]
    assert hidden["diagnosed"] == "logs/ on instance-1"
    assert hidden["unread"] == [{"name": " on instance-1", "why": " on instance-1"}]
    assert (hidden["redacted"], values["redacted"]) == (True, False)
    assert hidden["causes"][0]["source"] == values["causes"][0]["source"]
    assert hidden["causes"][0]["first_seen"] == values["causes"][0]["first_seen"]
    assert hidden.keys() == values.keys()


def test_harmless_causes_are_no_errors():
    assert has_errors(diagnosis())
    assert not has_errors(diagnosis(known=False))
