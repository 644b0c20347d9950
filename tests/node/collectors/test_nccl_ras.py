"""What NCCL's RAS says, as metrics. `python -m tests.node.collectors.test_nccl_ras` writes the golden file."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.node.collectors.nccl_ras_server import RasServer, ras_server
from trainyard_node.collectors.nccl_ras import NcclRasCollector
from trainyard_node.collectors.nccl_ras_status import RasStatus, add_status, ras_status
from trainyard_node.errors import NodeError
from trainyard_node.samples import Samples

_HERE = Path(__file__).parent
SAMPLE = (_HERE / "recorded" / "nccl" / "ras-2.29.1.json").read_text()
GOLDEN = _HERE / "golden" / "nccl-ras-2.29.1.prom"


def answer(ranks: int = 16, *, launched: int = 6650, late: dict[int, int] | None = None) -> dict[str, Any]:
    """Return what RAS says of a job of eight GPUs a node, of which some ranks have launched less."""
    content: dict[str, Any] = json.loads(SAMPLE)
    communicator = content["communicators"][0]
    (one,) = communicator["ranks"]
    communicator.update(size=ranks, ranks_count=ranks, missing_ranks_count=0, missing_ranks=[], ranks=[])
    for number in range(ranks):
        rank = copy.deepcopy(one)
        rank.update(rank=number, host=f"127.0.0.{1 + number // 8}", nvml_dev=number % 8)
        rank["collective_counts"]["AllReduce"] = (late or {}).get(number, launched)
        communicator["ranks"].append(rank)
    return content


def lines(status: RasStatus) -> list[str]:
    samples = Samples("nccl_ras")
    add_status(samples, status)
    return [line.removeprefix("trainyard_nccl_ras_") for line in samples.text().splitlines() if line[0] != "#"]


def golden_text() -> str:
    samples = Samples("nccl_ras")
    samples.add("trainyard_nccl_ras_listening", 1)
    add_status(samples, ras_status(json.loads(SAMPLE), {}))
    return samples.text()


def test_the_sample_of_the_user_guide_is_told_as_reviewed():
    assert golden_text() == GOLDEN.read_text()
    assert 'gpu_problem{peer="172.16.64.245",peer_gpu="1",problem="unresponsive"} 1' in golden_text()


def test_a_healthy_job_names_no_gpu():
    found = lines(ras_status(answer(), {}))
    assert "gpus 16" in found
    assert "communicators_stuck 0" in found
    assert not any(line.startswith("gpu_problem") for line in found)


def test_counts_that_differ_are_stuck_only_once_they_stay_as_they_are():
    late = {11: 6649}
    first = ras_status(answer(late=late), {})
    same = ras_status(answer(late=late), first.counts)
    moved = ras_status(answer(launched=6700, late={11: 6699}), first.counts)
    assert (first.stuck, same.stuck, moved.stuck) == (0, 1, 0)
    assert 'gpu_problem{peer="127.0.0.2",peer_gpu="3",problem="behind"} 1' in lines(same)


def test_counts_that_are_equal_and_stay_are_no_communicator_that_is_stuck():
    assert ras_status(answer(), ras_status(answer(), {}).counts).stuck == 0


def test_where_half_of_the_ranks_are_behind_none_is_named():
    late = dict.fromkeys(range(8), 1)
    status = ras_status(answer(late=late), ras_status(answer(late=late), {}).counts)
    assert (status.stuck, status.behind) == (1, frozenset())


@pytest.mark.parametrize(
    ("worst", "reason"), [((True, True), "dead"), ((True, False), "unresponsive"), ((False, False), "other")]
)
def test_a_gpu_that_is_missing_in_several_communicators_counts_once_by_the_worst(worst: tuple[bool, bool], reason: str):
    content = json.loads(SAMPLE)
    content["communicators"] = [copy.deepcopy(content["communicators"][0]) for _ in range(3)]
    for communicator, says in zip(content["communicators"], [(False, False), worst, (False, False)], strict=True):
        communicator["missing_ranks"][0]["status"] = {"unresponsive": says[0], "considered_dead": says[1]}
    assert dict(ras_status(content, {}).missing) == {("172.16.64.245", "1"): reason}


def test_a_gpu_that_has_left_one_communicator_and_answers_in_another_is_not_missing():
    content = answer()
    left = json.loads(SAMPLE)["communicators"][0]
    left["missing_ranks"][0].update(
        host="127.0.0.1", nvml_dev=3, status={"unresponsive": False, "considered_dead": False}
    )
    content["communicators"].append(left)
    assert not ras_status(content, {}).missing


@pytest.mark.parametrize(("key", "value"), [("async_error", 1), ("init_state", 3)])
def test_a_communicator_that_reports_an_error_names_its_gpu(key: str, value: int):
    content = answer()
    content["communicators"][0]["ranks"][9]["status"][key] = value
    assert 'gpu_problem{peer="127.0.0.2",peer_gpu="1",problem="failed"} 1' in lines(ras_status(content, {}))


def test_of_a_thousand_gpus_that_are_gone_64_are_named_and_all_counted():
    content = json.loads(SAMPLE)
    (gone,) = content["communicators"][0]["missing_ranks"]
    content["communicators"][0]["missing_ranks"] = [
        {**gone, "host": f"10.0.{number // 8}.1", "nvml_dev": number % 8} for number in range(1000)
    ]
    found = lines(ras_status(content, {}))
    assert 'gpus_missing{reason="unresponsive"} 1000' in found
    assert sum(line.startswith("gpu_problem") for line in found) == 64


@pytest.fixture
def server() -> Iterator[RasServer]:
    with ras_server() as made:
        yield made


def text(collector: NcclRasCollector) -> list[str]:
    return [line for line in collector.collect().text().splitlines() if line[0] != "#"]


@pytest.mark.integration
@pytest.mark.enable_socket
class TestOverASocket:
    """The protocol, beside a server that speaks it."""

    def test_the_node_with_rank_0_tells_of_the_job(self, server: RasServer):
        server.answer = json.dumps(answer()).encode()
        found = text(NcclRasCollector(server.address))
        assert "trainyard_nccl_ras_gpus 16" in found
        assert server.commands == ["CLIENT PROTOCOL 2", "TIMEOUT 5", "SET FORMAT json", "STATUS"]

    def test_another_node_tells_only_that_somebody_listens_and_asks_more_and_more_seldom(self, server: RasServer):
        content = json.loads(json.dumps(answer()).replace("127.0.0.", "192.0.2."))
        server.answer = json.dumps(content).encode()
        collector = NcclRasCollector(server.address)
        asked = []
        for _ in range(40):
            assert text(collector) == ["trainyard_nccl_ras_listening 1"]
            asked.append(server.commands.count("STATUS"))
        assert asked[:12] == [1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]
        assert asked[-1] == 5

    def test_once_nobody_listens_it_asks_at_once_when_somebody_does(self, server: RasServer):
        content = json.loads(json.dumps(answer()).replace("127.0.0.", "192.0.2."))
        server.answer = json.dumps(content).encode()
        collector = NcclRasCollector(server.address)
        for _ in range(3):
            collector.collect()
        collector._address = ("127.0.0.1", 1)
        assert text(collector) == ["trainyard_nccl_ras_listening 0"]
        collector._address, server.answer = server.address, json.dumps(answer()).encode()
        assert "trainyard_nccl_ras_gpus 16" in text(collector)

    def test_an_old_nccl_is_said_to_be_too_old(self, server: RasServer):
        server.knows_json = False
        with pytest.raises(NodeError, match=r"2\.28\.7 or newer"):
            NcclRasCollector(server.address).collect()

    @pytest.mark.parametrize(
        "hostile",
        [
            b"",
            b"[]",
            b"{}",
            b'{"communicators": 3}',
            b"[" * 100_000,
            b"\xff\x00",
            b'{"communicators": [{"ranks": [7]}]}',
        ],
        ids=["empty", "list", "object", "number", "deep", "binary", "wrong"],
    )
    def test_whatever_else_listens_is_one_clear_line(self, hostile: bytes, server: RasServer):
        server.answer = hostile
        with pytest.raises(NodeError, match="is no RAS of NCCL") as raised:
            NcclRasCollector(server.address).collect()
        assert len(str(raised.value)) < 300

    def test_an_answer_without_an_end_is_given_up(self, server: RasServer):
        server.answer = b" " * (17 * 2**20)
        with pytest.raises(NodeError, match="more than 16 MiB"):
            NcclRasCollector(server.address).collect()


if __name__ == "__main__":
    GOLDEN.write_text(golden_text())
