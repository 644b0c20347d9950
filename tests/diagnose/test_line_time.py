from __future__ import annotations

import datetime as dt

import pytest

from trainyard.diagnose.line_time import time_in, time_of

NEAR = dt.datetime(2025, 3, 20, tzinfo=dt.UTC)
# One line of each form, and when it says that it was written.
LINES = {
    "2025-03-21T14:16:48.250Z Jan 01 00:00:00 a kernel: x": "2025-03-21 14:16:48.250000",
    "2025-03-21 14:16:48,100 - [slurm_plugin.resume:main] - INFO - x": "2025-03-21 14:16:48.100000",
    "[2025-03-21T14:16:48+02:00] INFO: Processing file[/etc/x]": "2025-03-21 12:16:48",
    "  * ruby_block[retrieve info] action run[2025-03-21T14:16:48+00:00] INFO: x": "2025-03-21 14:16:48",
    "[2025-03-21T14:16:48.722] error: x": "2025-03-21 14:16:48.722000",
    "ERROR:2025-03-21 14:16:48,027: x": "2025-03-21 14:16:48.027000",
    "Mar 21 14:16:48 ip-10-0-0-7 kernel: x": "2025-03-21 14:16:48",
    "May  6 14:16:48 ip-10-0-0-7 kernel: x": "2025-05-06 14:16:48",
    "Dec 31 23:59:59 ip-10-0-0-7 kernel: x": "2024-12-31 23:59:59",
    "Feb 29 10:00:00 ip-10-0-0-7 kernel: x": "2024-02-29 10:00:00",
    "[Fri Mar 21 14:16:48 2025] NVRM: x": "2025-03-21 14:16:48",
    "[rank0]:[E321 14:16:48.408271257 ProcessGroupNCCL.cpp:607] x": "2025-03-21 14:16:48.408271",
    "I0321 14:16:48.000001 1 main.go:3] x": "2025-03-21 14:16:48.000001",
    "2025/03/21 14:16:48 Fetching EFA devices.": "2025-03-21 14:16:48",
    '{"level":"error","ts":"2025-03-21T14:16:48.667Z","msg":"x"}': "2025-03-21 14:16:48.667000",
    '{"level":"error","ts":1742566608.5,"msg":"x"}': "2025-03-21 14:16:48.500000",
    '      "timestamp": 1742566608500,': "2025-03-21 14:16:48.500000",
    '{"__REALTIME_TIMESTAMP":"1742566608500000","MESSAGE":"x"}': "2025-03-21 14:16:48.500000",
    '      "Timestamp": "2025-03-21T14:16:48.000Z",': "2025-03-21 14:16:48",
    "ts=2025-03-21T14:16:48.667Z caller=x level=warn": "2025-03-21 14:16:48.667000",
    'time="2025-03-21T14:16:48Z" level=fatal msg="x"': "2025-03-21 14:16:48",
    '10.0.0.1 - - [21/Mar/2025:14:16:48 +0000] "GET /metrics"': "2025-03-21 14:16:48",
    "[1,2]<stdout>:[2025-03-21 14:16:48] ip-10-0-0-7:1:2 [0] NCCL WARN x": "2025-03-21 14:16:48",
    "Start-Date: 2025-03-21  14:16:48": "2025-03-21 14:16:48",
}
TIMELESS = (
    "An error occurred: Signature expired: 20250917T173357Z is now earlier than 20250917T193433Z",
    "2025-13-41T10:00:00Z x", "[ 8412.117203] NVRM: x", "ran for 600004 milliseconds",
    "    the last heartbeat of the daemon that is meant came at 2025-03-21 14:16:48", "",
)  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_each_form_is_read(line: str):
    time = time_of(line, NEAR)
    assert time
    assert str(time.astimezone(dt.UTC).replace(tzinfo=None)) == LINES[line]


@pytest.mark.parametrize("line", TIMELESS)
def test_what_is_no_time_of_the_line_is_none(line: str):
    assert time_of(line, NEAR) is None


def test_a_line_is_not_later_than_its_file():
    assert time_of("Mar 21 14:16:48 a b: x", before=dt.datetime(2026, 1, 5, tzinfo=dt.UTC)) == dt.datetime(
        2025, 3, 21, 14, 16, 48, tzinfo=dt.UTC
    )


def test_without_a_year_near_there_is_no_time():
    assert time_of("Mar 21 14:16:48 a b: x") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mlcluster-logs-202507020800", "2025-07-02 08:00"),
        ("messages-20250703", "2025-07-03 00:00"),
        ("2025-07-03", "2025-07-03 00:00"),
        ("ip-10-0-0-7.i-0202507020800123a.syslog", None),
    ],
)
def test_names_may_hold_a_time(name: str, expected: str | None):
    time = time_in([name])
    assert (f"{time:%Y-%m-%d %H:%M}" if time else None) == expected
