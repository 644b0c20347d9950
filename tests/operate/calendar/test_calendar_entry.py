"""What has a date, from values alone, and how programs for calendars read it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import icalendar
import pytest

from tests.examples import example_spec
from trainyard.operate.calendar.calendar_entry import (
    CalendarEntry,
    of_certificate,
    of_images,
    of_reservations,
    of_scheduled_events,
    of_support,
)
from trainyard.operate.calendar.cluster_calendar import Calendar
from trainyard.operate.calendar.icalendar_text import icalendar_text
from trainyard.operate.status.reservations import Reservation
from trainyard.spec.parsing import parse

NOW = datetime(2026, 11, 23, 3, tzinfo=UTC)
START, END = NOW + timedelta(hours=8), NOW + timedelta(hours=32)
BLOCK = Reservation("cr-1", ("gpu",), "capacity-block", "scheduled", "p5.48xlarge", "us-east-2a", 4, 0, START, END)


def shown(entries: Any) -> list[tuple[str, str, str]]:
    return [(entry.kind, f"{entry.at:%d %H:%M}", entry.what) for entry in entries]


def test_a_block_has_a_start_an_end_and_half_an_hour_before_it_when_its_instances_have_to_be_gone():
    name = "Capacity Block cr-1 (4 × p5.48xlarge) of queue gpu"
    assert shown(of_reservations("llm", [BLOCK])) == [
        ("reservation-start", "23 11:00", f"{name} begins"),
        ("instances-taken-back", "24 10:30", f"instances of {name} have to be gone"),
        ("reservation-end", "24 11:00", f"{name} ends"),
    ]


def test_ultraservers_have_to_be_gone_an_hour_before_the_end():
    (_, gone, _) = of_reservations("llm", [BLOCK._replace(instance_type="p6e-gb200.36xlarge")])
    assert gone.at == END - timedelta(minutes=60)


def test_a_reservation_without_an_end_has_only_a_start_and_one_that_is_over_has_no_date():
    open_ended = BLOCK._replace(kind="reservation", ends=None)
    assert [entry.kind for entry in of_reservations("llm", [open_ended])] == ["reservation-start"]
    assert list(of_reservations("llm", [BLOCK._replace(state="expired")])) == []


def test_what_ec2_has_scheduled_is_told_with_what_the_instance_is():
    event: dict[str, Any] = {
        "Code": "instance-retirement",
        "Description": "The instance is running on degraded hardware",
    }
    events = [("i-1", {**event, "NotBefore": END, "InstanceEventId": "instance-event-1"}), ("i-1", event)]
    (entry,) = of_scheduled_events("llm", events, {"i-1": "queue gpu"})
    assert (entry.at, entry.subject) == (END, "instance-event-1")
    assert entry.what == 'EC2 retires queue gpu i-1: "The instance is running on degraded hardware"'


def test_an_image_has_the_day_it_was_made_and_the_day_it_counts_as_deprecated():
    image = {"Name": "aws-3.16", "CreationDate": "2026-07-01T10:00:00.000Z", "DeprecationTime": "2028-07-01T10:00:00Z"}
    made, deprecated = of_images("llm", {"ami-1": image}, {"ami-1": ["head node", "queue gpu"]})
    assert (made.kind, f"{made.at:%Y-%m-%d}") == ("image-created", "2026-07-01")
    assert made.what == "image ami-1 (aws-3.16) of head node, queue gpu was made"
    assert (deprecated.kind, deprecated.at.year) == ("image-deprecated", 2028)


@pytest.mark.parametrize(
    ("eligibility", "said"),
    [("ELIGIBLE", "ends"), ("INELIGIBLE", "ends; Certificate Manager does not renew it")],
)
def test_a_certificate_says_whether_it_renews_itself(eligibility: str, said: str):
    certificate = {"DomainName": "grafana.example.com", "NotAfter": END, "RenewalEligibility": eligibility}
    (entry,) = of_certificate("llm", "arn:c", certificate)
    assert entry.what == f"the certificate of grafana.example.com {said}"
    assert list(of_certificate("llm", "arn:c", {})) == []  # one that is still to be issued


def test_a_spec_has_the_ends_of_support_of_what_it_is_made_of():
    spec = parse(example_spec("image: {os: ubuntu2204}\nparallelcluster: {version: 3.16.1}"), "cluster.yaml").spec
    entries = {entry.subject: entry for entry in of_support(spec)}
    assert f"{entries['operating system ubuntu2204'].at:%Y-%m-%d}" == "2027-04-01"
    assert "Lambda runtime python3.12" in entries
    assert any(subject.startswith("NVIDIA drivers of R") for subject in entries)
    assert all(entry.whole_day and entry.source.startswith("https://") for entry in entries.values())
    assert not any("Kubernetes" in subject or "alinux" in subject for subject in entries)


def test_a_spec_of_kubernetes_has_those_of_its_version():
    text = example_spec("platform: eks\naccess: {allow_from: [203.0.113.7/32]}\neks: {kubernetes_version: '1.33'}")
    subjects = [entry.subject for entry in of_support(parse(text, "cluster.yaml").spec)]
    assert subjects == [f"{kind} support of Kubernetes 1.33 on Amazon EKS" for kind in ("standard", "extended")]


def calendar(*entries: CalendarEntry) -> Calendar:
    return Calendar("us-east-2", NOW.timestamp(), entries, {})


def events_in(text: str) -> list[Any]:
    """Read the events of a calendar with another program, which finds nothing wrong with it."""
    read: Any = icalendar.Calendar.from_ical(text)
    events: list[Any] = read.walk("VEVENT")
    assert [read.errors, *(event.errors for event in events)] == [[]] * (len(events) + 1)
    return events


def test_another_program_reads_the_same_dates_from_icalendar():
    spec = parse(example_spec("image: {os: ubuntu2204}"), "cluster.yaml").spec
    entries = (*of_reservations("llm", [BLOCK]), *of_support(spec))
    text = icalendar_text(calendar(*entries))
    events = events_in(text)
    assert [str(event["SUMMARY"]) for event in events] == [f"{entry.cluster}: {entry.what}" for entry in entries]
    assert [event["DTSTART"].dt for event in events] == [
        entry.at.date() if entry.whole_day else entry.at for entry in entries
    ]
    alarms = [(event["CATEGORIES"].to_ical(), len(event.walk("VALARM"))) for event in events]
    assert [count for kind, count in alarms if kind == b"instances-taken-back"] == [2]
    assert len({str(event["UID"]) for event in events}) == len(entries)
    assert max(len(line) for line in text.encode().split(b"\r\n")) <= 75


@pytest.mark.parametrize("words", ["a; b, c\\d", "×" * 80, "x" * 300, ""])
def test_any_text_comes_back_as_it_was(words: str):
    entry = CalendarEntry(NOW, "llm", "scheduled-event", "i-1", words, "https://example.com/a,b")
    (event,) = events_in(icalendar_text(calendar(entry)))
    assert str(event["SUMMARY"]) == f"llm: {words}"
    assert str(event["DESCRIPTION"]) == entry.source


def test_an_entry_whose_date_moves_keeps_its_identity():
    later = BLOCK._replace(ends=END + timedelta(days=1))
    uids = [
        [str(event["UID"]) for event in events_in(icalendar_text(calendar(*entries)))]
        for entries in (of_reservations("llm", [BLOCK]), of_reservations("llm", [later]))
    ]
    assert uids[0] == uids[1]
