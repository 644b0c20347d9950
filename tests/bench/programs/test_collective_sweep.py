"""The all-reduce without GPUs: its ring over sockets, and the table that it prints."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench.programs.torch_python import torch_python
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.programs.collective_sweep.rendezvous import (
    MeetingError,
    RendezvousAddress,
    announce,
    connect,
    find,
    say,
)
from trainyard.bench.programs.collective_sweep.ring import Ring
from trainyard.bench.programs.collective_sweep.table import SweepSizes, Timing, ending, heading, opening, row
from trainyard.edge.processes import is_running

PROGRAMS = Path(__file__).parents[3] / "src" / "trainyard" / "bench" / "programs"


def together(ranks: int, file: Path, act: Callable[[Ring], None]) -> None:
    """Let so many ranks meet, and do the same."""
    problems: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            with closing(Ring(rank, ranks, file)) as ring:
                act(ring)
        except BaseException as problem:  # noqa: BLE001  raised again below
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(300)
    if problems:
        raise problems[0]


@pytest.mark.enable_socket
@pytest.mark.parametrize("elements", [1, 2, 7, 100, 50_000])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_every_rank_has_the_sum_of_all(tmp_path: Path, ranks: int, elements: int):
    found: dict[int, tuple[list[float], float]] = {}

    def act(ring: Ring) -> None:
        buffer = ring.buffer([float(ring.rank + 1), 10.0], elements)
        ring.reduce(buffer)
        found[ring.rank] = (buffer.tolist(), ring.mean(float(ring.rank)))

    together(ranks, tmp_path / "meeting", act)
    total = ranks * (ranks + 1) / 2
    expected = [total if at % 2 == 0 else 10.0 * ranks for at in range(elements)]
    assert {rank: buffer for rank, (buffer, _) in found.items()} == dict.fromkeys(range(ranks), expected)
    assert [mean for _, mean in found.values()] == [pytest.approx((ranks - 1) / 2)] * ranks
    assert not (tmp_path / "meeting").exists()


@pytest.mark.enable_socket
def test_what_is_reduced_into_another_buffer_leaves_the_first(tmp_path: Path):
    kept: list[list[float]] = []

    def act(ring: Ring) -> None:
        source, target = ring.buffer([3.0], 10), ring.buffer([0.0], 10)
        ring.reduce_to(source, target)
        kept.extend([source.tolist(), target.tolist()])

    together(2, tmp_path / "meeting", act)
    assert sorted(kept) == [[3.0] * 10] * 2 + [[6.0] * 10] * 2


def test_wrong_elements_are_counted():
    ring = Ring(0, 1, Path("unused"))
    good, other = ring.buffer([1.0, 2.0], 10), ring.buffer([1.0, 2.0], 10)
    assert ring.wrong(good, other) == 0
    other[3] = other[7] = 5.0
    assert ring.wrong(good, other) == 2


@pytest.mark.enable_socket
def test_a_stranger_who_does_not_know_the_word_is_no_rank(tmp_path: Path):
    sums: list[float] = []

    def act(rank: int) -> None:
        with closing(Ring(rank, 2, tmp_path / "meeting")) as ring:
            buffer = ring.buffer([1.0], 4)
            ring.reduce(buffer)
            sums.append(sum(buffer))

    zero = threading.Thread(target=act, args=(0,))
    zero.start()
    place = find(tmp_path / "meeting")
    with connect(place.address, place.port) as stranger:
        say(stranger, ["another word", 1, "127.0.0.1", 1])
        act(1)
    zero.join(300)
    assert sums == [8.0, 8.0]


def test_where_rank_0_listens_is_readable_for_its_user_only(tmp_path: Path):
    file = tmp_path / "meeting"
    place = announce(file, "10.0.0.1", 7)
    assert (file.stat().st_mode & 0o777, find(file), len(place.token)) == (0o600, place, 32)
    assert isinstance(place, RendezvousAddress)


def test_a_rank_0_that_never_comes_is_not_waited_for_for_ever(tmp_path: Path):
    with pytest.raises(MeetingError, match=r"rank 0 has not written .*meeting within 0 s"):
        find(tmp_path / "meeting", within_s=0.0)


def test_the_table_is_read_as_that_of_nccl_tests():
    sizes = SweepSizes(8, 2**20, 4, 20, 5)
    assert sizes.each() == [8 * 4**power for power in range(9)]
    rows = [row(8, 2, 2, (Timing(12.5, 0), Timing(13.25, 0))), row(2**30, 2**28, 2, (Timing(5000, 3), Timing(6000, 0)))]
    text = "\n".join([opening("tcp", sizes, "a note"), heading(), *rows, ending([0.0, 214.75], 3)])
    (run,) = parse_log([text.encode()])
    assert (run.collective, run.parameters["maxBytes"], run.concluded, run.wrong_total) == (
        "all_reduce", "1048576", True, 3,
    )  # fmt: skip
    first, second = (one.out_of_place for one in run.rows)
    assert first is not None
    assert (first.time_us, first.wrong) == (12.5, 0)
    assert second is not None
    assert (second.algbw_gb_s, second.busbw_gb_s, second.wrong) == (214.75, 214.75, 3)
    assert run.out_of_bounds == (3, "FAILED")


def sweep(rank: int, ranks: int, folder: Path, *more: str, backend: str = "tcp") -> subprocess.Popen[str]:
    variables = {
        **os.environ, "SLURM_PROCID": str(rank), "SLURM_NTASKS": str(ranks), "SLURM_JOB_ID": "7",
        "SLURMD_NODENAME": f"node-{rank}", "PYTHONPATH": str(PROGRAMS),
    }  # fmt: skip
    python = sys.executable if backend == "tcp" else torch_python()
    command = [python, "-m", "collective_sweep", "--backend", backend, "--begin", "8", "--end", "4096", *more]
    return subprocess.Popen(
        command, cwd=folder, env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["tcp", pytest.param("gloo", marks=pytest.mark.exhaustive)])
def test_rank_0_prints_for_all_ranks_and_the_others_nothing(tmp_path: Path, backend: str):
    running = [sweep(rank, 3, tmp_path, backend=backend) for rank in range(3)]
    said = [one.communicate(timeout=300) for one in running]
    assert [one.returncode for one in running] == [0, 0, 0]
    assert [out for out, _ in said[1:]] == ["", ""]
    (run,) = parse_log([said[0][0].encode()])
    assert [one.host for one in run.devices] == ["node-0", "node-1", "node-2"]
    assert (len(run.rows), run.ranks, run.wrong_total, run.concluded) == (10, 3, 0, True)
    assert not list(tmp_path.glob(".meeting*"))


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["tcp", pytest.param("gloo", marks=pytest.mark.exhaustive)])
def test_one_rank_alone_has_a_table_without_bandwidth(tmp_path: Path, backend: str):
    out, said = sweep(0, 1, tmp_path, backend=backend).communicate(timeout=300)
    (run,) = parse_log([out.encode()])
    assert (said, run.ranks, run.concluded) == ("", 1, True)
    assert {one.busbw_gb_s for row in run.rows for one in (row.out_of_place, row.in_place) if one} == {0.0}


@pytest.mark.integration
def test_a_node_without_gpus_says_so_in_one_line(tmp_path: Path):
    running = sweep(1, 2, tmp_path, backend="nccl")
    out, said = running.communicate(timeout=300)
    assert (running.returncode, out, said.count("\n")) == (3, "", 1)
    assert said.startswith("collective_sweep: error: rank 1: torch ")
    assert said.endswith(" finds no GPU on this node\n")


@pytest.mark.integration
@pytest.mark.parametrize("backend", ["tcp", pytest.param("gloo", marks=pytest.mark.exhaustive)])
def test_a_rank_that_dies_ends_the_others_with_one_line(tmp_path: Path, backend: str):
    zero, one = (sweep(rank, 2, tmp_path, "--iterations", "1000000", backend=backend) for rank in range(2))
    assert zero.stdout is not None
    while "busbw" not in zero.stdout.readline():
        pass
    one.kill()
    one.communicate(timeout=300)
    _, said = zero.communicate(timeout=300)
    assert (zero.returncode, said.startswith("collective_sweep: error: rank 0: "), said.count("\n")) == (3, True, 1)
    assert not is_running(one.pid)
