"""bench judge on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.test_nccl_json import text as nccl_json
from tests.bench.texts import HEADER, LOG, whole

P5 = ("--instance-type", "p5.48xlarge", "--nodes", "2")


def written(folder: Path, content: bytes, name: str = "all_reduce.out") -> str:
    (folder / name).write_bytes(content)
    return name


def read(ran: Any) -> dict[str, Any]:
    assert ran.err == ""
    found: dict[str, Any] = json.loads(ran.out)
    return found


def half_as_fast() -> bytes:
    """Return the same test with twice the times."""
    lines = []
    for line in whole().decode().splitlines():
        words = line.split()
        if len(words) == 13 and words[2] == "float":
            for at in (5, 9):
                time_us = float(words[at]) * 2
                algbw = int(words[0]) / time_us / 1e3
                words[at : at + 3] = [f"{time_us:.2f}", f"{algbw:.2f}", f"{algbw * 1.875:.2f}"]
            lines.append(" ".join(words))
        else:
            lines.append(line)
    return "\n".join(lines).encode()


def test_a_healthy_run_is_one_line_and_status_0(trainyard, tmp_path):
    ran = trainyard("bench", "judge", written(tmp_path, whole()), *P5)
    assert ran.status == 0
    (line,) = ran.out.splitlines()
    assert line.startswith("all_reduce.out: healthy: all_reduce on 2 × p5.48xlarge reached 487.09 GB/s")


def test_a_slow_run_is_status_1_with_its_evidence(trainyard, tmp_path):
    ran = trainyard("bench", "judge", written(tmp_path, half_as_fast()), *P5)
    assert ran.status == 1
    assert "all_reduce.out: degraded:" in ran.out
    assert "[bench-below-expectation]" in ran.out


def test_json_has_rows_verdict_and_what_was_expected(trainyard, tmp_path):
    (run,) = read(trainyard("bench", "judge", written(tmp_path, whole(log=True)), *P5, "--json"))["runs"]
    assert {key: run[key] for key in ("collective", "dtype", "nodes", "ranks", "instance_type", "verdict", "nics")} == {
        "collective": "all_reduce", "dtype": "float", "nodes": 2, "ranks": 16, "instance_type": "p5.48xlarge",
        "verdict": "healthy", "nics": 32,
    }  # fmt: skip
    assert (run["max_busbw_gb_s"], run["at_size_bytes"], run["truncated"]) == (487.09, 17179869184, False)
    assert run["rows"][-1]["out_of_place"] == {
        "time_us": 66132.0, "algbw_gb_s": 259.78, "busbw_gb_s": 487.09, "wrong": 0,
    }  # fmt: skip
    assert (run["expected"]["ceiling_gb_s"], run["expected"]["confidence"]) == (490, "high")
    assert [finding["id"] for finding in run["findings"]] == ["bench-setting-hurts"]
    assert run["findings"][0]["file"] == "all_reduce.out"


def test_the_json_of_the_test_itself_is_read(trainyard, tmp_path):
    (run,) = read(trainyard("bench", "judge", written(tmp_path, nccl_json().encode(), "a.json"), *P5, "--json"))["runs"]
    assert (run["collective"], run["verdict"], len(run["rows"])) == ("all_reduce", "healthy", 2)


def test_standard_input_is_read(trainyard):
    ran = trainyard("bench", "judge", "-", *P5, standard_input=whole().decode())
    assert (ran.status, ran.out[:10]) == (0, "-: healthy")


def test_the_name_of_a_file_tells_the_collective_where_nothing_else_does(trainyard, tmp_path):
    line = b"536870912  67108864  float  none  -1  10000  53.69  50.33  N/A  10000  53.69  50.33  N/A\n"
    name = written(tmp_path, line, "nccl-all_gather_perf_2.out")
    (run,) = read(trainyard("bench", "judge", name, *P5, "--json"))["runs"]
    assert run["collective"] == "all_gather"


def test_a_folder_gives_the_runs_of_its_files_and_leaves_the_others(trainyard, tmp_path):
    (tmp_path / "out" / "phase-1").mkdir(parents=True)
    written(tmp_path / "out" / "phase-1", whole(), "a.out")
    written(tmp_path / "out", half_as_fast(), "b.out")
    written(tmp_path / "out", b"#!/bin/bash\nsrun all_reduce_perf\n", "job.sbatch")
    written(tmp_path / "out", b"\x89PNG\r\n\x1a\n\0\0", "plot.png")
    ran = trainyard("bench", "judge", "out", *P5, "--json")
    assert [(run["file"], run["verdict"]) for run in read(ran)["runs"]] == [
        ("out/b.out", "degraded"), ("out/phase-1/a.out", "healthy"),
    ]  # fmt: skip
    assert ran.status == 1


def test_a_baseline_shows_what_has_become_slower(trainyard, tmp_path):
    before, now = written(tmp_path, whole(), "before.out"), written(tmp_path, half_as_fast(), "now.out")
    ran = trainyard("bench", "judge", now, "--baseline", before, *P5)
    assert ran.status == 1
    assert "slower: 50.0% of the earlier bandwidth over 6 sizes, by chance in 3.1% of cases" in ran.out
    same = trainyard("bench", "judge", before, "--baseline", before, *P5)
    assert same.status == 0
    assert "the same: 100.0%" in same.out


def test_a_baseline_of_another_test_is_refused(trainyard, tmp_path):
    other = written(tmp_path, whole().replace(b"all_reduce_perf", b"all_gather_perf"), "other.out")
    ran = trainyard("bench", "judge", written(tmp_path, whole()), "--baseline", other, *P5)
    assert ran.status == 2
    assert ran.err.startswith("other.out: error: no run of all_reduce with 16 ranks to compare all_reduce.out with;")


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n", b"\x7fELF\x02\x01\x01\0" * 100, "\n".join(HEADER).encode(), b'{"version": 2, "start_time": "x'],
    ids=["empty", "prose", "binary", "header-only", "json-cut"],
)
def test_what_has_no_results_is_status_2_with_one_line(trainyard, tmp_path, content: bytes):
    ran = trainyard("bench", "judge", written(tmp_path, content))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("all_reduce.out: error: ")
    assert ran.err.count("\n") == 1


def test_a_log_of_nccl_without_a_test_is_status_2_and_says_what_it_has(trainyard, tmp_path):
    ran = trainyard("bench", "judge", written(tmp_path, "\n".join(LOG).encode()))
    assert (ran.status, ran.out) == (2, "")
    assert (
        "no results found: it holds the log of NCCL (nccl 2.27.3, cuda 12.8, plugin 1.16.3, libfabric 2.1, "
        "network Libfabric, provider efa), and no table of nccl-tests" in ran.err
    )


def test_an_empty_file_is_called_empty(trainyard, tmp_path):
    ran = trainyard("bench", "judge", written(tmp_path, b""))
    assert (ran.status, "no results found: it is empty" in ran.err) == (2, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
def test_files_of_windows_are_read_whatever_their_encoding(trainyard, tmp_path, encoding: str):
    text = ("\ufeff" if "-le" in encoding or "-be" in encoding else "") + whole().decode()
    ran = trainyard("bench", "judge", written(tmp_path, text.encode(encoding)), *P5)
    assert (ran.status, "healthy: all_reduce on 2 × p5.48xlarge reached 487.09 GB/s" in ran.out) == (0, True)


def test_a_file_that_ends_within_a_row_says_so_and_is_truncated(trainyard, tmp_path):
    text = whole()
    name = written(tmp_path, text[text.index(b"nThread") + 80 : text.index(b"66132") + 5])
    ran = trainyard("bench", "judge", name, *P5)
    assert "1 part of rows in the table, cut or contradicting themselves" in ran.out
    (run,) = read(trainyard("bench", "judge", name, *P5, "--json"))["runs"]
    assert (run["damaged_rows"], run["truncated"], run["verdict"]) == (1, True, "healthy")


def test_a_damaged_file_in_a_folder_is_named_and_the_others_are_judged(trainyard, tmp_path):
    (tmp_path / "out").mkdir()
    written(tmp_path / "out", b'{"version": 2, "start_time": "x"', "cut.json")
    written(tmp_path / "out", b"", "empty.out")
    written(tmp_path / "out", whole(), "good.out")
    ran = trainyard("bench", "judge", "out", *P5)
    assert ran.status == 2
    assert ran.out.startswith("out/good.out: healthy:")
    assert ran.err.startswith("out/cut.json: begins as nccl-tests' JSON and cannot be read:")
    assert ran.err.count("\n") == 1


def test_gpus_whose_network_is_not_known_have_a_ceiling_and_no_expectation(trainyard, tmp_path):
    name = written(tmp_path, half_as_fast())
    ran = trainyard("bench", "judge", name)
    assert ran.status == 1
    assert "unknown: all_reduce on 2 × 8 × H100 reached 243.55 GB/s at 17,179,869,184 bytes; 490 possible: " in ran.out
    (run,) = read(trainyard("bench", "judge", name, "--json"))["runs"]
    assert run["expected"] == {
        "busbw_gb_s": None, "least_gb_s": None, "ceiling_gb_s": 490, "confidence": None, "basis": None, "sources": [],
        "ceiling": "8 H100 on their links reach 490 GB/s; its network is not known",
    }  # fmt: skip


def test_a_file_that_is_not_there_is_status_2(trainyard):
    ran = trainyard("bench", "judge", "nothing.out")
    assert (ran.status, ran.err) == (2, "nothing.out: error: cannot be read: No such file or directory\n")


def test_a_folder_without_results_says_how_many_files_it_looked_at(trainyard, tmp_path):
    (tmp_path / "out").mkdir()
    written(tmp_path / "out", b"hello\n", "a.txt")
    ran = trainyard("bench", "judge", "out")
    assert (ran.status, "none of its 1 file holds a table" in ran.err) == (2, True)


def test_a_died_run_is_truncated_and_broken(trainyard, tmp_path):
    cut = whole()[: whole().index(b"134217728")]
    (run,) = read(trainyard("bench", "judge", written(tmp_path, cut), *P5, "--json"))["runs"]
    assert (run["verdict"], run["truncated"]) == ("broken", True)


XID = b"kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus.\n"


def test_a_died_run_has_the_first_cause_that_diagnose_finds_in_its_file(trainyard, tmp_path):
    name = written(tmp_path, whole()[: whole().index(b"134217728")] + b"\n" + XID)
    (run,) = read(trainyard("bench", "judge", name, *P5, "--json"))["runs"]
    assert run["cause"] == read(trainyard("diagnose", name, "--json"))["causes"][0]
    ran = trainyard("bench", "judge", name, *P5)
    assert f"why it ended ({run['cause']['confidence']}): {run['cause']['title']} [gpu-fell-off-bus], line" in ran.out
    assert "`trainyard diagnose all_reduce.out` shows more" in ran.out


def test_of_a_died_run_without_a_known_cause_that_is_said(trainyard, tmp_path):
    name = written(tmp_path, whole()[: whole().index(b"134217728")])
    assert read(trainyard("bench", "judge", name, *P5, "--json"))["runs"][0]["cause"] is None
    assert "no known cause in the file says why it ended" in trainyard("bench", "judge", name, *P5).out


def test_a_run_that_came_to_its_end_is_not_diagnosed(trainyard, tmp_path):
    name = written(tmp_path, whole() + XID)
    assert read(trainyard("bench", "judge", name, *P5, "--json"))["runs"][0]["cause"] is None
    assert "why it ended" not in trainyard("bench", "judge", name, *P5).out


def test_names_that_command_the_terminal_are_shown_harmless(trainyard, tmp_path):
    name = written(tmp_path, whole(), "a\x1b]0;x\x07.out")
    ran = trainyard("bench", "judge", name, *P5)
    assert "\x1b" not in ran.out
    died = written(tmp_path, whole()[: whole().index(b"134217728")], "a\x1b]0;x\x07.out")
    assert "\x1b" not in trainyard("bench", "judge", died, *P5).out


def test_a_file_without_results_is_named_and_the_others_are_judged(trainyard, tmp_path):
    names = written(tmp_path, b"nothing\n", "other.log"), written(tmp_path, whole())
    ran = trainyard("bench", "judge", *names, *P5)
    assert ran.status == 2
    assert "all_reduce.out: healthy:" in ran.out
    assert ran.err.startswith("other.log: no results found:")
    (told,) = json.loads(trainyard("bench", "judge", *names, *P5, "--json").out)["without_results"]
    assert told["file"] == "other.log"


def test_an_instance_type_that_is_not_known_is_refused_with_one_that_is(trainyard, tmp_path):
    ran = trainyard("bench", "judge", written(tmp_path, whole()), "--instance-type", "p9.48xlarge")
    assert ran.status == 2
    assert "p9.48xlarge is not known" in ran.err
    assert "p5.48xlarge" in ran.err


def test_a_baseline_whose_ranks_are_not_known_is_compared_where_it_is_the_only_one(trainyard, tmp_path):
    ranks_unknown = b"\n".join(line for line in whole().splitlines() if not line.startswith(b"#  Rank"))
    rounded = ranks_unknown.replace(b"487.09", b"487.2")
    earlier = written(tmp_path, whole(), "earlier_all_reduce.out")
    ran = trainyard("bench", "judge", written(tmp_path, rounded), *P5, "--baseline", earlier)
    assert "of the earlier bandwidth" in ran.out
    assert "None" not in ran.out + ran.err
