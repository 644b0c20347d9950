"""Every form that nccl-tests has printed is read alike."""

from __future__ import annotations

import pytest

from tests.bench.texts import CLOSING, HEADER, LOG, OPENING, P5_TWO_NODES, old_rows, row, rows, whole
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Run
from trainyard.bench.table_row import row_of, start_of

SIZES = [int(one[0]) for one in P5_TWO_NODES]
BUSBW_GB_S = [float(one[4]) for one in P5_TWO_NODES]


def runs_of(*lines: str) -> list[Run]:
    return parse_log(["".join(f"{line}\n" for line in lines).encode()])


def only(*lines: str) -> Run:
    (run,) = runs_of(*lines)
    return run


def figures(run: Run) -> list[tuple[int, float]]:
    return [(one.size_bytes, one.out_of_place.busbw_gb_s) for one in run.rows if one.out_of_place is not None]


EXPECTED = list(zip(SIZES, BUSBW_GB_S, strict=True))


@pytest.mark.parametrize(
    "prefix",
    ["", "0: ", " 3: ", "[1,0]<stdout>:", "\t[1,0]<stdout>: ", "2026-11-20T10:00:00.123Z ", "[pod/nccl-0/main] "],
    ids=["plain", "srun", "srun-wide", "mpirun", "kubectl-mpirun", "timestamps", "kubectl-prefix"],
)
def test_whatever_a_launcher_writes_before_each_line_the_figures_are_the_same(prefix: str):
    (run,) = parse_log([whole(prefix)])
    assert figures(run) == EXPECTED
    assert run.ranks == 16
    assert run.hosts == ["p5-dy-1", "p5-dy-2"]
    assert run.collective == "all_reduce"
    assert run.average_busbw_gb_s == 176.613
    assert run.out_of_bounds == (0, "OK")
    assert run.concluded
    assert run.damaged_rows == 0


@pytest.mark.parametrize("bytes_a_block", [1, 7, 100, 4096], ids=str)
def test_a_log_may_come_in_blocks_of_any_size(bytes_a_block: int):
    text = whole(log=True)
    pieces = [text[at : at + bytes_a_block] for at in range(0, len(text), bytes_a_block)]
    assert parse_log(pieces) == parse_log([text])


def test_a_table_without_anything_around_it_tells_its_collective_and_ranks_by_its_figures():
    run = only(*rows())
    assert figures(run) == EXPECTED
    assert (run.collective, run.ranks) == ("all_reduce", 16)
    assert not run.concluded


def test_old_versions_have_no_root_and_a_deviation_in_place_of_a_count():
    run = only(*old_rows())
    assert figures(run) == EXPECTED
    measured = run.rows[0].out_of_place
    assert measured is not None
    assert (measured.error, measured.wrong, run.rows[0].root) == (5e-07, None, None)
    assert run.wrong_total is None


def test_wrong_elements_are_counted_over_both_places():
    run = only(row(P5_TWO_NODES[3], "7", "12"), row(P5_TWO_NODES[4]))
    assert run.wrong_total == 19


def test_a_count_of_a_million_wrong_elements_is_no_deviation():
    assert only(row(P5_TWO_NODES[3], "1e+06")).wrong_total == 2_000_000


def test_what_was_not_checked_in_place_is_unknown_and_not_right():
    run = only(row(P5_TWO_NODES[3], "0", "N/A"))
    measured = run.rows[0].in_place
    assert measured is not None
    assert measured.wrong is None


def test_alltoall_is_known_by_what_cannot_be_checked():
    run = only("2097152  32768  float  none  -1  84.61  24.79  23.24  0  83.91  24.99  23.43  N/A")
    assert (run.collective, run.rows[0].redop) == ("alltoall", None)


@pytest.mark.parametrize("words", [5, 9], ids=["after-the-root", "after-one-measurement"])
def test_lines_of_nccl_between_rows_and_in_the_middle_of_one_change_nothing(words: int):
    torn = rows()
    each = torn[0].split()
    first, second = " ".join(each[:words]), " ".join(each[words:])
    run = only(*OPENING, *HEADER, first, LOG[3], second, LOG[0], *torn[1:], *CLOSING)
    assert figures(run) == EXPECTED
    assert run.damaged_rows == 0


def test_a_row_that_is_cut_is_counted_and_not_believed():
    whole_row = rows()[-1]
    for length in range(40, len(whole_row) - 1):
        run = only(*HEADER, *rows()[:-1], whole_row[:length])
        assert figures(run) == EXPECTED[:-1], whole_row[:length]
        assert run.damaged_rows == 1, whole_row[:length]


def test_a_row_whose_bandwidth_does_not_follow_from_its_time_is_not_believed():
    run = only(rows()[4].replace("56.28", "96.28"), rows()[5])
    assert figures(run) == [EXPECTED[5]]
    assert run.damaged_rows == 1


def test_a_line_that_was_written_twice_counts_once():
    run = only(*[line for line in (*HEADER, *rows(), *CLOSING) for _ in range(2)])
    assert figures(run) == EXPECTED


def test_several_tests_in_one_file_are_several_runs():
    second = tuple(line.replace("all_reduce", "all_gather") for line in OPENING)
    first, other = runs_of(*OPENING, *HEADER, *rows(), *CLOSING, *second, *HEADER, *rows()[:3], *CLOSING)
    assert (first.collective, len(first.rows)) == ("all_reduce", 9)
    assert (other.collective, len(other.rows)) == ("all_gather", 3)


def test_the_log_of_nccl_tells_versions_network_and_environment():
    run = only(*OPENING[1:], *LOG, *HEADER, *rows(), *CLOSING)
    assert run.versions == {"nccl": "2.27.3", "cuda": "12.8", "plugin": "1.16.3", "libfabric": "2.1"}
    assert (run.transport.provider, run.transport.nics, run.transport.network) == ("efa", 32, "Libfabric")
    assert run.environment == {"NCCL_PROTO": "Simple"}
    assert (run.transport.connections, run.transport.gdr_connections) == (3, 2)


def test_a_number_for_a_version_is_written_as_a_version():
    assert only(*OPENING, *rows()).versions == {"nccl-tests": "2.17.6", "nccl": "2.27.3"}


def test_iterations_that_are_timed_one_by_one_add_columns_that_are_left_aside():
    halves = rows()[-1].split()
    timed = [*halves[:9], "66001", "67002", "66990", "0.4", *halves[9:], "66001", "67002", "66990", "0.4"]
    run = only(" ".join(timed))
    assert figures(run) == EXPECTED[-1:]
    assert run.rows[0].in_place is not None
    assert run.rows[0].in_place.busbw_gb_s == 487.26


def test_the_time_of_day_at_the_end_of_a_row_is_left_aside():
    assert figures(only(f"{rows()[-1]}  2026-11-20 10:11:12")) == EXPECTED[-1:]


def test_neurons_table_is_read_with_its_own_unit():
    run = only(
        "nccom-test -r 32 --minbytes 1kb --maxbytes 1gb --stepfactor 4 --datatype fp32 allr",
        "       size(B)    count(elems)    type    time(us)    algbw(GB/s)    busbw(GB/s)",
        "    1073741824       268435456    fp32       18930          52.83          102.36",
        "Avg bus bandwidth:      23.6671GB/s",
    )
    assert (run.tool, run.collective, run.bandwidth_unit) == ("nccom-test", "all_reduce", "GiB/s")
    assert figures(run) == [(1073741824, 102.36)]
    assert run.average_busbw_gb_s == 23.6671


def test_a_run_that_died_keeps_what_it_had_measured_and_why_it_died():
    died = "p5-dy-2: Test NCCL failure common.cu:1204 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '"
    run = only(*OPENING, *HEADER, *rows()[:4], died)
    assert len(run.rows) == 4
    assert [failure.text for failure in run.failures] == [died]
    assert run.failures[0].line == len(OPENING) + len(HEADER) + 5
    assert not run.concluded


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\n\n", b"hello\nworld\n", b"\x00\x01\xff" * 1000, b"8 2 float\n",
        b"epoch 12 2048 float 0.12 0.13\n", "größe 8 2 float sum\n".encode("latin-1"),
    ],
    ids=["empty", "blank", "prose", "binary", "short", "training-log", "latin"],
)  # fmt: skip
def test_what_is_no_test_gives_no_rows(text: bytes):
    assert [run.rows for run in parse_log([text]) if run.rows] == []


def test_a_job_says_when_it_began_and_so_does_each_of_its_tests():
    job = "trainyard: job gpu-p1-{}, number 7, began 2026-11-20T1{}:00:00Z"
    test = (*OPENING, *HEADER, *rows(), *CLOSING)
    told = [run.began for run in runs_of(job.format(1, 0), *test, *test, job.format(2, 1), *test)]
    assert told == ["2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z"]


@pytest.mark.parametrize("wrong", ["1", "1073741824", "1234567890123456"])
def test_a_number_of_wrong_elements_is_no_time(wrong: str):
    start = start_of(f"8589934592 2147483648 float sum -1 37500 229.06 429.50 0 37500 229.06 429.50 {wrong}")
    assert start is not None
    measured = row_of(start, 1)
    assert measured is not None
    assert measured.in_place is not None
    assert measured.in_place.wrong == int(wrong)


def test_a_time_behind_a_row_is_none_of_its_values():
    start = start_of("8589934592 2147483648 float sum -1 37500 229.06 429.50 0 37500 229.06 429.50 0 1790000000123")
    assert start is not None
    assert row_of(start, 1) is not None
