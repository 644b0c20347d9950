"""On which nodes a cause is and since when, by archives that are composed of the logs of several nodes."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from trainyard.api.diagnose import diagnose_files, diagnosis_values, line_filter
from trainyard.diagnose.diagnosis import DiagnosedCause
from trainyard.diagnose.reasoning.node_share import ALL, ALL_AT_ONCE, ALL_SINCE_START, FEW, SOME

START = dt.datetime(2026, 11, 20, 8, 0, tzinfo=dt.UTC)
HOUR = 3600
INIT = "kernel: NVRM: GPU 0000:53:00.0: RmInitAdapter failed! (0x62:0x40:1860)"
LOST = "kernel: NVRM: Xid (PCI:0000:53:00): 79, pid=1, GPU has fallen off the bus."
REFUSED = "systemd[1]: mount.lustre: mount fs-0a@tcp:/abcd at /fsx failed: Connection timed out"
EFA = (
    "kernel: infiniband rdmap79s0: The device didn't send any completion for admin cmd CREATE_QP(1) status 0 (id: 4, "
    "sq producer: 118, sq consumer: 117, cq consumer: 117)"
)
TIMEOUT = (
    "[rank{rank}]:[E{at} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=45, OpType=ALLREDUCE, NumelIn=5, NumelOut=5, Timeout(ms)=600000) ran for 600061 milliseconds "
    "before timing out."
)


class Node:
    """The log of a node, which begins some time after the first node's."""

    def __init__(self, starts_s: float = 0, *lines: tuple[float, str], lasts_s: float = 6 * HOUR) -> None:
        self._start = START + dt.timedelta(seconds=starts_s)
        sessions = [(at_s, "systemd[1]: Started Session 7 of User root.") for at_s in range(0, int(lasts_s) + 1, 600)]
        self._lines = sorted([*sessions, *lines])

    def text(self, host: str) -> str:
        times = ((self._start + dt.timedelta(seconds=at_s), text) for at_s, text in self._lines)
        return "".join(f"{time:%b %d %H:%M:%S} {host} {text}\n" for time, text in times)


def archive(folder: Path, *nodes: Node, log: str = "system-messages") -> Path:
    for number, node in enumerate(nodes):
        host = f"ip-10-0-1-{10 + number}"
        (folder / f"{host}.i-0{number:016x}.{log}").write_text(node.text(host))
    return folder


def first_of(*args: Path | Node, log: str = "system-messages") -> DiagnosedCause:
    folder, *nodes = args
    assert isinstance(folder, Path)
    return diagnose_files(str(archive(folder, *(node for node in nodes if isinstance(node, Node)), log=log))).causes[0]


@pytest.mark.parametrize(("nodes", "expected"), [
    ([Node(1200 * n, (40 + n, INIT)) for n in range(5)], (5, 5, 0, ALL_SINCE_START)),
    ([Node(60 * n, *[(5 * HOUR, INIT)] * (n == 2)) for n in range(16)], (1, 16, 0, FEW)),
    ([Node(60 * n, *[(30, INIT)] * (n == 2)) for n in range(16)], (1, 16, 0, FEW)),
    ([Node(1200 * n, (5 * HOUR - 1200 * n, INIT)) for n in range(5)], (5, 5, 0, ALL_AT_ONCE)),
    ([Node(1200 * n, (5 * HOUR - 600 * n, INIT)) for n in range(5)], (5, 5, 0, ALL)),
    ([Node(60 * n, *[(30, INIT)] * (n < 4)) for n in range(8)], (4, 8, 0, SOME)),
    # Nodes whose logs end before it came elsewhere tell nothing.
    ([Node(60, *[(5 * HOUR, INIT)] * (n == 2), lasts_s=6 * HOUR if n < 3 else 60) for n in range(16)], (1, 3, 13, FEW)),
    ([Node(0, *[(90, INIT)] * (n < 4), lasts_s=6 * HOUR if n < 4 else 60) for n in range(6)],
     (4, 4, 2, ALL_SINCE_START)),
    # A node that starts an hour later and runs for an hour would have it, too.
    ([Node(), Node(0, (60, INIT)), Node(HOUR, lasts_s=HOUR)], (1, 3, 0, FEW)),
])  # fmt: skip
def test_it_is_counted_on_which_nodes_it_is(nodes: list[Node], expected: tuple[int, int, int, str], tmp_path: Path):
    share = first_of(tmp_path, *nodes).share
    assert share is not None
    assert (share.nodes, share.of, share.too_short, share.since) == expected


def test_the_answer_says_where_to_look(tmp_path: Path):
    (tmp_path / "all").mkdir()
    first = first_of(tmp_path / "all", *[Node(1200 * number, (40, REFUSED)) for number in range(4)])
    assert first.facts[0].startswith(
        "It is on all 4 nodes, from the beginning of their logs: look at what they were made"
    )
    (tmp_path / "one").mkdir()
    one = first_of(tmp_path / "one", Node(0, (5 * HOUR, REFUSED)), *[Node() for _ in range(3)])
    assert one.facts[0].startswith("It is on 1 of 4 nodes, and on no other: where the others do the same work, look at")
    assert one.facts[0].endswith("It came 5 hours after the beginning of its log.")


def test_plain_values_have_it(tmp_path: Path):
    archive(tmp_path, *[Node(60 * number, *[(30, INIT)] * (number == 2)) for number in range(3)])
    (cause,) = diagnosis_values(diagnose_files(str(tmp_path)))["causes"]
    assert cause["share"] == {"nodes": 1, "of": 3, "too_short": 0, "since": "few"}


def test_where_logs_do_not_tell_nothing_is_said(tmp_path: Path):
    two = [Node(0, (30, INIT)), Node()]
    assert first_of(tmp_path, *two).share is None
    (tmp_path / "some-node.log").write_text(f"no time here\n{INIT}\n")
    assert first_of(tmp_path, *two, Node()).share is not None


def test_nodes_that_were_not_asked_for_are_not_said_to_be_well(tmp_path: Path):
    archive(tmp_path, Node(0, (30, INIT)), Node(), Node())
    asked = line_filter(None, None, ("ip-10-0-1-10",), 0.0)
    assert diagnose_files(str(tmp_path), asked).causes[0].share is None


def test_the_head_node_is_no_node_without_it(tmp_path: Path):
    nodes = [Node(60 * number, (30, INIT)) for number in range(3)]
    (tmp_path / "ip-10-0-1-13.i-00000000000000003.slurmctld").write_text(Node().text("ip-10-0-1-13"))
    share = first_of(tmp_path, *nodes, Node()).share
    assert share is not None
    assert (share.nodes, share.of, share.since) == (3, 3, ALL_SINCE_START)


def test_what_a_node_says_while_it_starts_is_of_its_start_though_its_log_ends_with_it(tmp_path: Path):
    nodes = [Node(1200 * number, (400, REFUSED), lasts_s=400) for number in range(3)]
    share = first_of(tmp_path, *nodes, log="cloud-init-output").share
    assert share is not None
    assert share.since == ALL_SINCE_START


def test_of_two_readings_the_nodes_decide(tmp_path: Path):
    for name in ("all", "one"):
        (tmp_path / name).mkdir()
    everywhere = first_of(tmp_path / "all", *[Node(1200 * number, (40, INIT)) for number in range(3)])
    assert (everywhere.cause.id, everywhere.confidence) == ("nvidia-driver-wrong-for-gpu", "likely")
    alone = first_of(tmp_path / "one", Node(0, (40, INIT)), Node(), Node())
    assert (alone.cause.id, alone.confidence) == ("gpu-init-failed", "certain")


@pytest.mark.parametrize(("nodes_with", "first"), [(4, "efa-device-failed"), (1, "gpu-fell-off-bus")])
def test_what_stood_on_all_nodes_since_they_started_gives_way_to_what_came_before_the_failure(
    nodes_with: int, first: str, tmp_path: Path
):
    late = (int(1.5 * HOUR), EFA)
    nodes = [Node(60 * n, *[(40, LOST)] * (n < nodes_with), *[late] * (n == 2)) for n in range(4)]
    at = START + dt.timedelta(seconds=late[0] + 600)
    (tmp_path / "slurm-7.out").write_text(
        "".join(f"{TIMEOUT.format(rank=rank, at=f'{at:%m%d %H:%M:%S}.000000000')}\n" for rank in range(4))
    )
    assert first_of(tmp_path, *nodes).cause.id == first
