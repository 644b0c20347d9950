"""Which rank the others wait for, by dumps of PyTorch's flight recorder."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from tests.program import run
from trainyard.training.stragglers.flight_recorder import RankDump, flight_values, rank_dump
from trainyard.training.stragglers.rank_times import Place

# README.md there says what ran, and what wrote them.
DUMPS = Path(__file__).parent / "flight_recorder"
CONFIG = {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}}


def entry(sequence: int, state: str = "completed", duration_ms: float | None = None, **more: Any) -> dict[str, Any]:
    """Return an entry as NCCL's are, by FlightRecorderDetail.hpp: with states, and with timing a duration."""
    timed = {} if duration_ms is None else {"duration_ms": duration_ms}
    return {"process_group": ["0", "default_pg"], "collective_seq_id": sequence, "profiling_name": "nccl:all_reduce",
            "state": state, "is_p2p": False, "retired": state == "completed",
            "time_created_ns": sequence * 100_000_000, **timed, **more}  # fmt: skip


def dumped(*entries: Sequence[dict[str, Any]]) -> list[RankDump]:
    return [rank_dump(rank, json.dumps({"version": "2.10", "pg_config": CONFIG, "entries": list(own)}).encode())
            for rank, own in enumerate(entries)]  # fmt: skip


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_the_rank_that_has_not_called_is_behind_and_who_waits_for_it_elsewhere_is_not(
    form: str, tmp_path: Path
) -> None:
    progress = tmp_path / "hangs" / "progress"
    progress.mkdir(parents=True)
    start = {"event": "start", "time": 1_795_900_000, "rank": 2, "node": "n1", "gpu": 0}
    (progress / "rank-2.jsonl").write_text(json.dumps(start) + "\n")
    words = ("run", "report", "--progress", str(progress), "--flight-recorder", str(DUMPS / form))
    told = json.loads(run(*words, "--json").out)["runs"][0]["flight_recorder"]
    assert [(one["rank"], one["node"], one["group"], one["waiting"]) for one in told["behind"]] == [
        (2, "n1", "0:default_pg", 2), (2, "n1", "1", 1),
    ]  # fmt: skip
    assert (told["dumps"], told["notes"]) == (4, [])
    text = run(*words).out
    assert "flight recorder of 4 ranks: 1 rank behind" in text
    assert (
        "rank 2 on n1, GPU 0, has not called gloo:all_reduce 6 of group 0:default_pg, in which 2 ranks wait\n" in text
    )
    assert "has not called gloo:all_reduce 6 of group 1, in which 1 rank waits\n" in text


def test_a_collective_that_does_not_begin_on_a_gpu_puts_its_rank_behind() -> None:
    told = flight_values(dumped([entry(7, "started")], [entry(7, "scheduled")], [entry(7, "started")]), {})
    assert [(one["rank"], one["last_sequence"], one["waiting"]) for one in told["behind"]] == [(1, 7, 2)]
    assert told["notes"] == ["no dump of rank 3: look at it first"]


@pytest.mark.parametrize("queued", [(105, 105, 105, 105), (105, 103, 104, 104), (105, 103, 104, 99)])
def test_what_programs_have_called_ahead_of_their_gpus_hides_no_rank(queued: Sequence[int]) -> None:
    ranks = [
        [entry(number, "completed" if number < 100 else "started" if number == 100 and rank != 3 else "scheduled")
         for number in range(90, last + 1)]
        for rank, last in enumerate(queued)
    ]  # fmt: skip
    told = flight_values(dumped(*ranks), {})
    assert [(one["rank"], one["sequence"], one["waiting"]) for one in told["behind"]] == [(3, 100, 3)]
    assert told["notes"] == []


def test_a_collective_that_others_have_completed_holds_nobody_up() -> None:
    told = flight_values(dumped([entry(7, "started")], *[[entry(7)]] * 3), {})
    assert (told["behind"], told["notes"]) == ([], [])


def test_a_name_adds_no_line_to_the_report() -> None:
    told = flight_values(dumped(*[[entry(7, "started", profiling_name="x\nrun ok: all fine")]] * 4), {})
    assert "\n" not in told["notes"][0]


def test_one_text_for_all_names_takes_no_more_than_once_its_room() -> None:
    text = "x" * 1_000_000
    entries = [{**entry(number), "process_group": ("0", text)} for number in range(1, 20_001)]
    config = {
        str(number): {"name": str(number), "desc": "", "ranks": "[1, 2]" + " " * 1_000_000} for number in range(3)
    }
    config |= {str(number): config["0"] for number in range(3000)}
    content = pickle.dumps({"version": "2.10", "pg_config": config, "entries": entries}, protocol=2)
    assert rank_dump(0, content).calls == ()


def test_where_all_are_in_the_same_collective_nobody_is_behind() -> None:
    told = flight_values(dumped(*[[entry(7, "started")]] * 4), {})
    assert told["behind"] == []
    assert told["notes"][0].startswith("all 4 ranks are in nccl:all_reduce 7 of 0:default_pg, and none is behind")


def test_ranks_of_a_run_that_goes_on_are_not_behind() -> None:
    gloo: dict[str, Any] = {"state": "scheduled", "profiling_name": "gloo:all_reduce", "retired": True}
    for more in (dict[str, Any](), gloo):
        told = flight_values(dumped([entry(7, **more)], *[[entry(number, **more)] for number in (6, 7, 7)]), {})
        assert (told["behind"], told["notes"]) == ([], [])


def test_the_rank_that_comes_last_again_and_again_is_late() -> None:
    # The others wait 30 ms of 100 ms in each, as theirs last longer.
    ranks = [[entry(number, duration_ms=5.0 if rank == 3 else 35.0) for number in range(1, 42)] for rank in range(4)]
    told = flight_values(dumped(*ranks), {3: Place(3, "n2", 1)})
    (late,) = told["late"]
    assert (late["rank"], late["node"], late["share"], told["compared"]) == (3, "n2", 1.0, 41)
    assert late["waits"] == pytest.approx(0.3, abs=0.02)


def test_ranks_that_come_last_by_turns_are_not_late() -> None:
    ranks = [[entry(number, duration_ms=5.0 if number % 4 == rank else 35.0) for number in range(1, 42)]
             for rank in range(4)]  # fmt: skip
    assert flight_values(dumped(*ranks), {})["late"] == []


class _Harm:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("harm"),))


HARMFUL = {
    "nothing": b"",
    "a program": pickle.dumps({"version": "2.10", "entries": [_Harm()]}, protocol=2),
    "a name": pickle.dumps({"version": "2.10", "entries": [Path]}, protocol=2),
    "an index that takes room": b"\x80\x02}r\xff\xff\xff\x7f.",
    "room for bytes": b"\x80\x05\x96\xff\xff\xff\xff\xff\x00\x00\x00.",
    "keys that end Python": b"\x80\x02}" + b")" + b"\x85" * 3_000_000 + b"Ns.",
    "such keys, several": b"\x80\x02}(" + b")" + b"\x85" * 3_000_000 + b"Nu.",
    "half a dump": (DUMPS / "pickle" / "nccl_trace_rank_0").read_bytes()[:900],
    "other JSON": b'{"entries": 3}',
    "deep JSON": b'{"entries": ' + b"[" * 100_000,
    "other values": pickle.dumps([1, 2], protocol=2),
}


@each_case("content", HARMFUL.values(), ids=HARMFUL)
def test_what_is_no_dump_is_refused_and_does_nothing(content: bytes) -> None:
    with pytest.raises(ValueError, match="it is no dump"):
        rank_dump(0, content)
    assert not Path("harm").exists()


def test_entries_of_any_form_do_not_stop_the_others() -> None:
    bad = [{}, {**entry(1), "process_group": [[], {}]}, {**entry(1), "process_group": ["0", []]}, entry(-1),
           {**entry(1), "state": ["x"]}, {**entry(1), "collective_seq_id": 10**400},
           entry(9, duration_ms=10**400)]  # fmt: skip
    (dump,) = dumped([*bad, entry(2)])
    assert [call.sequence for call in dump.calls] == [9, 2]
    assert dump.calls[0].duration_ms is None


def test_a_folder_without_dumps_is_an_error(tmp_path: Path) -> None:
    progress = tmp_path / "hangs" / "progress"
    progress.mkdir(parents=True)
    (progress / "rank-0.jsonl").write_text('{"event": "start", "time": 1795900000, "rank": 0, "node": "n1"}\n')
    done = run("run", "report", "--progress", str(progress), "--flight-recorder", str(tmp_path))
    assert (done.status, "has no dump of a flight recorder" in done.err) == (2, True)
