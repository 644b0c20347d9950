"""What `trainyard facts` lists, on days of its own."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from trainyard.catalog.ages import ages


@pytest.fixture
def facts(trainyard, monkeypatch):
    """Return a function that lists the facts on a day."""

    def on(day: str, *options: str) -> str:
        monkeypatch.setenv("TRAINYARD_TODAY", day)
        ran = trainyard("facts", *options)
        assert (ran.status, ran.err) == (0, "")
        return str(ran.out)

    return on


def test_nothing_is_old_on_the_day_of_the_last_look(facts):
    first = ages()[0]
    assert f"  none; the first will be {first.file}, which is believed until {first.until}" in facts("2026-11-22")


def test_files_become_old_one_after_another(facts):
    first, *others = ages()
    listed = facts(str(first.until + timedelta(days=1)))
    line = f"  {first.file}: compared with its sources on {first.looked}, believed until {first.until}\n"
    assert line in listed
    assert listed.count("compared with its sources") == sum(age.until == first.until for age in (first, *others))
    assert facts(str(others[-1].until + timedelta(days=1))).count("compared with its sources") == len(others) + 1


def test_ends_of_support_are_told_by_their_distance(facts):
    listed = facts("2026-11-22")
    assert "  2026-11-26  extended support of Kubernetes 1.31 on Amazon EKS, in 4 days\n" in listed
    assert "  2026-12-02  standard support of Kubernetes 1.34 on Amazon EKS, in 10 days\n" in listed
    assert "  2026-06-30  operating system alinux2, 145 days ago\n" in listed
    assert "1.36" not in listed
    assert "1.36" in facts("2026-11-22", "--within", "400")
    assert "  2026-12-02  standard support of Kubernetes 1.34 on Amazon EKS, today\n" in facts("2026-12-02")
    assert "1 day ago" in facts("2026-12-03")


def test_programs_read_the_same(facts):
    day = str(ages()[0].until + timedelta(days=1))
    printed = json.loads(facts(day, "--json"))
    assert printed["today"] == day
    assert ages()[0].file in [file["file"] for file in printed["files"] if file["expired"]]
    assert printed["changes"] is None
    assert {"of", "until", "source"} == printed["ends"][0].keys()


def test_a_day_that_is_none_is_refused(trainyard, monkeypatch):
    monkeypatch.setenv("TRAINYARD_TODAY", "tomorrow")
    ran = trainyard("facts")
    assert ran.status == 2
    assert "TRAINYARD_TODAY is 'tomorrow'; write a date such as 2026-11-22" in ran.err
