from __future__ import annotations

import datetime as dt
import tracemalloc
from collections.abc import Iterator

import pytest

from tests.diagnose.scanning.known import counts, found, known, only
from trainyard.diagnose.cause import Hit
from trainyard.diagnose.log_file import LogFile, UnreadableError
from trainyard.diagnose.reading import UnreadList
from trainyard.diagnose.scanning.result import Progress, Tally
from trainyard.diagnose.scanning.scan import scan

XID = {"xid-79": r"NVRM: Xid \([^)]*\): 79,"}
HOST = "ip-10-0-0-7.i-0123456789abcdef0"
LINE = b"May  6 13:00:%02d ip-10-0-0-7 kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1\n"


@pytest.mark.parametrize("block", [1, 7, 64, 10_000])
def test_a_hit_has_its_line_time_and_node(block: int):
    data = b"2025-05-06T13:25:00.269Z nothing\n" * 3 + b"2025-05-06T13:25:01.100Z " + LINE % 1 + b"nothing\n"
    seen = only(found({f"logs/{HOST}.syslog": data}, XID, block))
    (hit,) = seen.hits
    assert (hit.file, hit.line, hit.node, seen.count) == (f"logs/{HOST}.syslog", 4, "ip-10-0-0-7", 1)
    assert hit.text == data.splitlines()[3].decode()
    assert hit.time == seen.first_seen == dt.datetime(2025, 5, 6, 13, 25, 1, 100_000, dt.UTC)


@pytest.mark.parametrize("block", [5, 10_000])
def test_a_line_without_a_time_has_that_of_the_line_before(block: int):
    data = b"[2025-05-06T13:05:10.722] one\n" + b"  at something\n" * 30 + b"NVRM: Xid (a): 79, x\n"
    assert only(found(data, XID, block)).first_seen == dt.datetime(2025, 5, 6, 13, 5, 10, 722_000, dt.UTC)


def test_a_line_without_a_year_has_that_of_the_logs_beside_it():
    files = {
        f"{HOST}.slurmd": b"[2023-12-31T23:00:00.000] NVRM: Xid (a): 79, x\n",
        "syslog": b"Jan  1 01:00:00 a kernel: NVRM: Xid (a): 79, y\n",
    }
    times = [signature_hits.first_seen for signature_hits in found(files, XID).signature_hits]
    assert times == [dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC), dt.datetime(2024, 1, 1, 1, tzinfo=dt.UTC)]


def test_many_lines_are_counted_and_few_are_kept():
    begin = dt.datetime(2025, 5, 6, 13, tzinfo=dt.UTC)
    times = [begin + dt.timedelta(seconds=number) for number in range(30_000)]
    data = b"".join(f"[{time:%Y-%m-%dT%H:%M:%S}.000] NVRM: Xid (a): 79, x\n".encode() for time in times)
    seen = only(found({f"{HOST}.syslog": data}, XID, 10_000))
    assert (seen.count, seen.first_seen, seen.last_seen) == (30_000, times[0], times[-1])
    assert [hit.line for hit in seen.hits] == [1, 2, 3, 4, 29_999, 30_000]


def test_the_earliest_line_is_kept_whatever_log_comes_first():
    files = {f"{day}.log": b"[2025-05-%02dT00:00:00.000] NVRM: Xid (a): 79, x\n" % day for day in (9, 8, 7, 6, 5, 4, 3)}
    assert [hit.file for hit in only(found(files, XID)).hits][:4] == ["3.log", "4.log", "5.log", "6.log"]


def test_a_line_that_is_harmless_is_nothing_else():
    data = b"error: chdir(/var/log): Permission denied\nerror: x: Permission denied\n"
    patterns = {"denied": "Permission denied", "chdir": r"chdir\(/var/log\)"}
    assert counts(found(data, patterns, harmless=["chdir"])) == {"denied": 1, "chdir": 1}


def test_a_signature_means_something_in_its_own_logs_only():
    files = {f"{HOST}.{log}": b"NVRM: Xid (a): 79, x\n" for log in ("syslog", "slurmctld", "odd")}
    result = found(files, XID, logs={"xid-79": ("syslog",)})
    assert {hit.file.rpartition(".")[2] for hit in result.hits} == {"syslog", "odd"}


def test_quotes_of_json_do_not_hide_a_line():
    patterns = {"said": 'msg="no runtime for "nvidia"'}
    data = b'{"log":"x"}\n{"log":"msg=\\"no runtime for \\\\\\"nvidia\\\\\\" is\\""}\nmsg="no runtime for "nvidia" x\n'
    assert [hit.line for hit in found(data, patterns).hits] == [2, 3]


def test_a_line_of_many_megabytes_takes_little_memory_and_counts_once():
    def blocks() -> Iterator[bytes]:
        yield b"first\n"
        for number in range(400):
            yield b"x" * 99_900 + (b" NVRM: Xid (a): 79, here " if number in {200, 201} else b"")
        yield b"\nlast NVRM: Xid (b): 79, too\n"

    tracemalloc.start()
    result = scan([LogFile("a", blocks())], signature_table=known(XID))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [(hit.line, "Xid" in hit.text) for hit in result.hits] == [(2, True), (3, True)]
    assert max(len(hit.text) for hit in result.hits) <= 2000
    assert only(result).count == 2
    assert peak_bytes < 25 * 2**20


def test_bytes_that_are_no_utf_8_stay_readable():
    assert (
        only(found("Gerät NVRM: Xid (a): 79, x\n".encode("latin-1"), XID)).hits[0].text == "Gerät NVRM: Xid (a): 79, x"
    )


def test_what_cannot_be_read_on_is_listed_and_what_was_read_counts():
    def blocks() -> Iterator[bytes]:
        yield b"NVRM: Xid (a): 79, x\nNVRM: Xid (b): 79, y"
        raise UnreadableError("it ends too early")

    unread = UnreadList()
    result = scan([LogFile("a", blocks()), LogFile("b", [LINE % 1])], unread=unread, signature_table=known(XID))
    assert counts(result) == {"xid-79": 3}
    assert [(unread.name, unread.why) for unread in result.unread] == [("a", "it ends too early")]
    assert (result.files, result.unread_count) == (2, 1)


def test_progress_tells_files_and_bytes():
    told: list[Progress] = []
    scan([LogFile("a", [b"1234\n"]), LogFile("b", [b"12\n"])], progress=told.append, signature_table=known(XID))
    assert told[-1] == Progress(2, 8)


def no_hit(number: int) -> Hit:
    raise AssertionError(number)


def test_nodes_without_number_do_not_fill_the_memory():
    tally = Tally(most_entries=10)
    for number in range(1000):
        tally.add("xid-79", f"node-{number}", 2, times=[], hit=no_hit)
    seen = tally.signature_hits(["xid-79"])
    assert len(seen) == 11
    assert sum(signature_hits.count for signature_hits in seen) == 2000
    assert {signature_hits.node: signature_hits.count for signature_hits in seen}[None] == 1980


def test_ranks_without_number_do_not_take_the_place_of_nodes():
    tally = Tally()
    for number in range(6000):
        tally.add("watchdog", "node-1", 1, times=[], hit=no_hit, rank=b"%d" % number)
    tally.add("watchdog", "node-2", 3, times=[], hit=no_hit)
    assert len(tally.signature_hits(["watchdog"])) == 4002
    assert [one.count for one in tally.signature_hits(["watchdog"])][-2:] == [2000, 3]
