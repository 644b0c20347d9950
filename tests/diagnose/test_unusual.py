from __future__ import annotations

import base64
import datetime as dt
import random
import tracemalloc

import pytest

from tests.diagnose.scanning.known import known
from trainyard.diagnose.line_filter import LineFilter
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.scanning.scan import scan
from trainyard.diagnose.unusual import UnusualLines, unusual_lines

KNOWN = known({"expected": "expected failure"})
COMMON = b"".join(b"13:00:%02d error: device %d is busy, id %08x\n" % (n % 60, n, n * 7919) for n in range(2000))
LOG = b"all is well\n" + COMMON + b"Traceback (most recent call last):\nan expected failure\nwidget 7 failed\n" + COMMON


def lines(data: bytes, most: int = 20) -> list[tuple[int, str, int]]:
    found = unusual_lines([LogFile("a.log", [data])], signature_table=KNOWN, most=most)
    return [(unusual_line.line, unusual_line.text, unusual_line.count) for unusual_line in found]


def test_what_is_rare_and_looks_like_trouble_comes_first():
    assert lines(LOG) == [
        (2002, "Traceback (most recent call last):", 1),
        (2004, "widget 7 failed", 1),
        (2, "13:00:00 error: device 0 is busy, id 00000000", 4000),
    ]


def test_an_error_that_states_a_version_is_one_that_nothing_is_known_of():
    assert lines(b"all is well\nwidget failed: error 7 (NCCL version 2.21.5)\n") == [
        (2, "widget failed: error 7 (NCCL version 2.21.5)", 1)
    ]


@pytest.mark.parametrize(("line", "is_error"), [
    (b"ERROR attempt 1 failed: the hub is busy, retrying in 5 s", False),
    (b"ERROR: upload failed (attempt 2 of 5)", False),
    (b"ERROR the hub is busy, giving up after 5 attempts", True),
    (b"ERROR upload failed, retries exceeded", True),
    (b"ERROR: Max retries exceeded with url: /model", True),
    (b"ERROR the hub is busy", True),
    (b"ERROR attempt 1 failed, retrying (max 5 attempts)", False),
    (b"ERROR: upload failed (attempt 5 of 5)", True),
    (b"ERROR: upload failed, attempt 5/5, retrying", True),
    (b"ERROR download failed, will not retry", True),
    (b"ERROR request failed, retries exhausted", True),
    (b"ERROR not retrying: HTTP 403", True),
    (b"FATAL ERROR: out of retries", True),
    (b"ERROR Retry limit reached", True),
    (b"ERROR cannot retry", True),
    (b"ERROR: permission denied on the folder, fix the mode and try again", True),
])  # fmt: skip
def test_a_failure_that_is_tried_again_is_no_error_before_it_is_given_up(line: bytes, *, is_error: bool):
    (found,) = unusual_lines([LogFile("a.log", [line + b"\n"])], signature_table=KNOWN)
    assert found.is_error == is_error


def base64_lines(count: int) -> list[bytes]:
    drawn = random.Random(28)
    return [base64.b64encode(drawn.randbytes(57)) for _ in range(count)]


def test_trouble_within_random_text_is_found_and_random_text_is_none():
    lines = base64_lines(4000)
    noise = [b"WARN", b"FAIL", b"error", b"Oops", b"panic", b"FATAL"]
    lines[::40] = [line[:30] + noise[number % 6] + line[40:] for number, line in enumerate(lines[::40])]
    lines[1501] = b"ip-10-0-0-7:71:75 [1] misc/init.cc:303 NCCL WARN Failed to CUDA host alloc 6910 bytes"
    lines[3000] = lines[3000][:20] + b" ERROR the hub is busy " + lines[3000][:20]
    log = LogFile("a.log", [b"\n".join(lines)])
    unusual = UnusualLines()
    found = scan([log], unusual=unusual)
    assert {(one.signature, hit.line) for one in found.signature_hits for hit in one.hits} == {("nccl-warn-line", 1502)}
    assert [(one.line, one.is_error) for one in unusual.lines()] == [(3001, True)]


@pytest.mark.parametrize("line", [b"xpanicq zfatalo noops", b"kfatal panicky fatals", b"aOopsb"])
def test_letters_within_a_word_make_no_error(line: bytes):
    assert not any(one.is_error for one in unusual_lines([LogFile("a.log", [line])], signature_table=KNOWN))


@pytest.mark.parametrize(
    "line",
    [b"kernel panic - not syncing", b"worker panicked at", b"xCUDA_FATAL", b"NonFatalError: x", b"a fatal_signal"],
)
def test_words_of_errors_are_found_within_names(line: bytes):
    assert [one.is_error for one in unusual_lines([LogFile("a.log", [line])], signature_table=KNOWN)] == [True]


def test_no_more_than_asked_for_are_given():
    assert len(lines(LOG, most=1)) == 1


@pytest.mark.exhaustive
def test_memory_is_bounded_and_the_answer_the_same_each_time():
    drawn = random.Random(3)
    words = ["".join(drawn.choices("abcdefghij", k=6)) for _ in range(400)]
    data = b"".join(
        f"{drawn.choice(words)} {drawn.choice(words)} failed at {drawn.choice(words)}\n".encode() for _ in range(30_000)
    )
    tracemalloc.start()
    first = lines(data + b"panic: the one\n")
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first == lines(data + b"panic: the one\n")
    assert first[0][1] == "panic: the one"
    assert peak_bytes < 16 * 2**20


def test_it_can_go_along_with_a_scan():
    unusual = UnusualLines(KNOWN)
    scan([LogFile("a.log", [LOG])], signature_table=KNOWN, unusual=unusual)
    assert unusual.lines() == unusual_lines([LogFile("a.log", [LOG])], signature_table=KNOWN)


SPOKEN = b"2026-05-06T%02d:00:00Z %s app: %s failed\n"
SAID = [(8, b"node-a", b"early"), (10, b"node-a", b"asked"), (10, b"node-b", b"other")]
OF_TWO = b"".join(SPOKEN % one for one in SAID)


@pytest.mark.parametrize("again", [False, True], ids=["along with a scan", "in a second reading"])
def test_only_lines_that_are_asked_for_are_among_them(again):
    wanted = LineFilter(dt.datetime(2026, 5, 6, 9, tzinfo=dt.UTC), None, ("node-a",))
    log = LogFile("a.log", [OF_TWO])
    if again:
        found = unusual_lines([log], signature_table=KNOWN, line_filter=wanted)
    else:
        unusual = UnusualLines(KNOWN)
        scan([log], signature_table=KNOWN, unusual=unusual, line_filter=wanted)
        found = unusual.lines()
    assert [unusual_line.text for unusual_line in found] == ["2026-05-06T10:00:00Z node-a app: asked failed"]
