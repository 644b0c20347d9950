"""`trainyard-node cloudwatch`: the file that the agent reads, and what happens when something fails."""

from __future__ import annotations

import argparse
import json
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest

from tests.full_disk import files_of_at_most
from tests.node.collectors.efa_tree import EfaTree
from tests.node.collectors.recorded_programs import RecordedPrograms
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.platforms.parallelcluster.plan import BYTES_OF_EVENT
from trainyard.spec.software import MetricGroup
from trainyard_node.cloudwatch.metric_publisher import MetricPublisher, seconds_to_next
from trainyard_node.cloudwatch.metrics_file import MetricsFile
from trainyard_node.cloudwatch_command import FILE, GROUPS, add_arguments, run
from trainyard_node.embedded_metrics import MetricBatch, MetricValues
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

GPU = b"0, 97, 61, 652.31, 40779, 40238, 81559\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = FakeClock()
    (tmp_path / FILE[1:]).parent.mkdir(parents=True)
    EfaTree(tmp_path).instance("p5")
    return World(Places(str(tmp_path)), clock, FakeProcesses(clock))


def settings(world: World, groups: str, **more: str) -> None:
    values = {"CLUSTER": "llm", "INSTANCE_ID": "i-0123456789abcdef0", "CLOUDWATCH_METRICS": groups, **more}
    world.places.node_env.write_text("".join(f"TRAINYARD_{name}='{value}'\n" for name, value in values.items()))


def chosen(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)


def once(world: World, *words: str) -> int:
    return run(chosen("--once", *words), world, RecordedPrograms(**{"nvidia-smi": GPU}))


def written(world: World) -> list[dict[str, object]]:
    file = world.places.at(FILE)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_the_groups_of_the_spec_are_written_and_no_others(world: World):
    settings(world, "system gpu")
    assert once(world) == 0
    assert [event["GPUUtilization"] for event in written(world)] == [97.0]
    settings(world, "slurm")
    assert once(world) == 0
    assert "NodesTotal" in written(world)[-1]


def test_a_group_can_be_named_instead(world: World):
    settings(world, "")
    assert once(world, "--group", "slurm") == 0
    assert len(written(world)) == 1


@pytest.mark.parametrize("groups", ["", "system"])
def test_a_node_with_nothing_to_measure_ends_well(world: World, groups: str, capsys: pytest.CaptureFixture[str]):
    settings(world, groups)
    assert run(chosen(), world, RecordedPrograms()) == 0
    assert "no metrics of this node" in capsys.readouterr().err
    assert written(world) == []


def test_a_source_that_fails_leaves_the_others_and_is_told(world: World, capsys: pytest.CaptureFixture[str]):
    settings(world, "gpu slurm")
    programs = RecordedPrograms(**{"nvidia-smi": NodeError("nvidia-smi took longer than 30 s")})
    assert run(chosen("--once"), world, programs) == 1
    assert "metrics of gpu for CloudWatch: nvidia-smi took longer" in capsys.readouterr().err
    assert "NodesTotal" in written(world)[0]


@pytest.mark.parametrize("missing", ["CLUSTER", "INSTANCE_ID"])
def test_a_node_that_does_not_know_itself_is_told(world: World, missing: str):
    settings(world, "gpu", **{missing: ""})
    with pytest.raises(NodeError, match=f"TRAINYARD_{missing}"):
        once(world)


def test_the_groups_are_those_that_the_spec_has_but_for_the_agents_own():
    assert {"system", *GROUPS} == set(get_args(MetricGroup))


def test_it_runs_until_it_is_asked_to_end(world: World):
    settings(world, "gpu")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        assert run(chosen(), world, RecordedPrograms(**{"nvidia-smi": GPU})) == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert len(written(world)) == 1


class Source:
    """Gives one metric, or fails."""

    name = "test"

    def __init__(self) -> None:
        """Begin well."""
        self.problem: Exception | None = None

    def batches(self) -> Iterator[MetricBatch]:
        if self.problem:
            raise self.problem
        yield MetricBatch("ns", {}, [MetricValues("m", "Count", (1.0,))])


def test_a_problem_is_told_once_until_it_is_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = Source()
    publishing = MetricPublisher(source, MetricsFile(tmp_path / "m.log"), FakeClock())
    source.problem = NodeError("gone")
    assert [publishing.publish(), publishing.publish()] == [False, False]
    source.problem = None
    assert publishing.publish()
    source.problem = RuntimeError("a bug")
    assert not publishing.publish()
    told = capsys.readouterr().err.splitlines()
    assert [line.rpartition("CloudWatch: ")[2] for line in told] == ["gone", "RuntimeError: a bug"]
    assert len((tmp_path / "m.log").read_text().splitlines()) == 1


@pytest.mark.parametrize(("at_s", "wait_s"), [(0, 30), (30, 60), (29.99, 60.01), (31, 59), (59, 31), (29, 1)])
def test_each_minute_has_one_reading_in_its_middle(at_s: float, wait_s: float):
    assert seconds_to_next(at_s) == pytest.approx(wait_s)


def test_the_file_never_grows_beyond_twice_its_limit(tmp_path: Path):
    file = MetricsFile(tmp_path / "m.log", most_bytes=1000)
    for number in range(500):
        file.add([f"{number:049}"])
    kept = sorted(tmp_path.iterdir())
    assert [path.name for path in kept] == ["m.log", "m.log.1"]
    assert all(path.stat().st_size <= 1000 for path in kept)
    assert kept[0].read_text().splitlines()[-1] == f"{499:049}"


def test_the_agent_may_read_the_file_whatever_the_mask_is(tmp_path: Path):
    before = os.umask(0o077)
    try:
        MetricsFile(tmp_path / "m.log").add(["x"])
    finally:
        os.umask(before)
    assert (tmp_path / "m.log").stat().st_mode & 0o777 == 0o644


def test_a_full_disk_leaves_whole_lines_and_is_told(tmp_path: Path):
    file = MetricsFile(tmp_path / "m.log")
    file.add(["first"])
    with files_of_at_most(10), pytest.raises(NodeError, match=r"cannot write .*m\.log"):
        file.add(["second line", "third"])
    assert file.path.read_text() == "first\n"
    file.add(["second"])
    assert file.path.read_text() == "first\nsecond\n"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(NodeError, match="No such file"):
        MetricsFile(tmp_path / "missing" / "m.log").add(["x"])


def test_threads_do_not_mix_their_lines(tmp_path: Path):
    file = MetricsFile(tmp_path / "m.log")
    texts = [letter * 5000 for letter in "abcdefgh"]

    def add(text: str) -> None:
        for _ in range(20):
            file.add([text, text])

    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(add, texts))
    found = file.path.read_text().splitlines()
    assert sorted(set(found)) == texts
    assert len(found) == 2 * 20 * len(texts)


def test_the_plan_knows_how_long_an_event_is(world: World):
    settings(world, "gpu slurm")
    once(world)
    lengths = [len(line) for line in world.places.at(FILE).read_bytes().splitlines()]
    assert BYTES_OF_EVENT * 0.8 < max(lengths) + 26 <= BYTES_OF_EVENT
