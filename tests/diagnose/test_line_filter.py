"""Lines of a part of time or of some nodes: what is left out is said, and never taken for good news."""

from __future__ import annotations

import datetime as dt
import tarfile

import pytest

from trainyard.api.diagnose import diagnose_files, diagnosis_values, line_filter
from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.report.sentences import not_asked
from trainyard.errors import InputError

DAY = dt.datetime(2026, 5, 6, tzinfo=dt.UTC)
XID = "kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus."
NODES = ("gpu-st-p5-1", "gpu-st-p5-2")


def at(hour: int) -> dt.datetime:
    return DAY + dt.timedelta(hours=hour)


@pytest.fixture
def day(tmp_path):
    """Return a log with a line a minute, of two nodes in turn."""
    lines = (f"{DAY + dt.timedelta(minutes=n):%Y-%m-%dT%H:%M:%S}Z {NODES[n % 2]} {XID}\n" for n in range(24 * 60))
    (tmp_path / "messages").write_text("".join(lines))
    return tmp_path / "messages"


@pytest.mark.parametrize("packed", [False, True], ids=["a file", "an archive"])
def test_all_lines_of_a_period_count_and_no_others(day, tmp_path, packed):
    with tarfile.open(tmp_path / "logs.tar.gz", "w:gz") as archive:
        archive.add(day, "messages")
    found = diagnose_files(str(tmp_path / "logs.tar.gz" if packed else day), LineFilter(at(10), at(14)))
    assert [(cause.cause.id, cause.count) for cause in found.causes] == [("gpu-fell-off-bus", 240)]
    assert (found.causes[0].first_seen, found.causes[0].last_seen) == (at(10), at(14) - dt.timedelta(minutes=1))


def test_all_lines_of_a_node_count_and_its_name_has_no_case(day):
    diagnosis = diagnose_files(str(day), LineFilter(at(10), at(14), ("GPU-st-p5-2.cluster.internal",)))
    assert diagnosis.causes[0].by_node == {"gpu-st-p5-2": 120}


def test_events_of_another_time_are_left_out(tmp_path):
    event = '{{"timestamp": "{time}", "resourceStatus": "CREATE_FAILED", "resourceStatusReason": "{why}"}}'
    why = "We currently do not have sufficient p5.48xlarge capacity in the Availability Zone you requested"
    events = [event.format(time=at(n).isoformat(), why=why) for n in range(3)]
    joined = ",\n".join(events)
    (tmp_path / "cfn-events").write_text(f'{{"events": [{joined}]}}')
    whole = diagnose_files(str(tmp_path / "cfn-events"))
    part = diagnose_files(str(tmp_path / "cfn-events"), LineFilter(at(1), at(2)))
    assert [diagnosis.causes[0].count for diagnosis in (whole, part)] == [3, 1]


def test_what_the_period_leaves_out_is_said(day):
    diagnosis = diagnose_files(str(day), LineFilter(since=at(30)))
    assert diagnosis.causes == ()
    left = diagnosis_values(diagnosis)["not_asked"]
    assert (left["by_period"], left["oldest"], left["newest"]) == (1440, "2026-05-06T00:00:00Z", "2026-05-06T23:59:00Z")


def test_a_node_that_no_log_names_is_refused_with_those_that_were_seen(day):
    with pytest.raises(InputError, match="is of node gpu-st-p5-7; nodes seen: gpu-st-p5-1, gpu-st-p5-2"):
        diagnose_files(str(day), LineFilter(nodes=("gpu-st-p5-7",)))


def test_a_healthy_node_is_known_by_its_log(day, tmp_path):
    with day.open("a") as log:
        log.write("2026-05-06T23:59:59Z gpu-st-p5-9 systemd[1]: all is well\n")
    diagnosis = diagnose_files(str(day), LineFilter(nodes=("gpu-st-p5-9",)))
    assert diagnosis.causes == ()
    assert diagnosis_values(diagnosis)["not_asked"]["by_node"] == 1440


def test_nothing_is_said_where_nothing_was_asked(day):
    assert line_filter(None, None, (), 0.0).is_everything
    assert diagnose_files(str(day)).not_asked is None


def test_logs_without_a_line_of_the_period_are_counted_whatever_they_say(tmp_path):
    lines = "".join(f"{DAY + dt.timedelta(minutes=n):%Y-%m-%dT%H:%M:%S}Z all is well\n" for n in range(60))
    (tmp_path / "morning.log").write_text(lines)
    (tmp_path / "noon.log").write_text(lines.replace("T00:", "T12:"))
    (tmp_path / "timeless.log").write_text("all is well\n" * 9)
    diagnosis = diagnose_files(str(tmp_path), LineFilter(at(11), at(14)))
    assert diagnosis.not_asked is not None
    assert (diagnosis.not_asked.logs_by_period, diagnosis.files) == (1, 3)
    assert "1 log of 3 without a line of that time" in not_asked(diagnosis_values(diagnosis))
    (tmp_path / "noon.log").unlink()
    (tmp_path / "timeless.log").unlink()
    nothing = diagnose_files(str(tmp_path), LineFilter(at(11), at(14)))
    assert "the log holds no line of that time" in not_asked(diagnosis_values(nothing))


def test_a_heading_without_a_time_and_the_order_of_events_do_not_hide_a_log(tmp_path):
    early, late = f"{at(1):%Y-%m-%dT%H:%M:%SZ}", f"{at(12):%Y-%m-%dT%H:%M:%SZ}"
    (tmp_path / "heading.log").write_text(f"-- begin --\n{early} well\n")
    (tmp_path / "events.json").write_text(
        f'{{"StackEvents": [{{"ResourceStatus": "x", "Timestamp": "{early}"}}, {{"Timestamp": "{late}"}}]}}'
    )
    diagnosis = diagnose_files(str(tmp_path), LineFilter(at(11), at(14)))
    assert diagnosis.not_asked is not None
    assert diagnosis.not_asked.logs_by_period == 1
