"""What NCCL's inspector wrote. `python -m tests.node.collectors.test_nccl_inspector` writes the golden file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.nccl_inspector import FOLDER, NcclInspectorCollector
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

_HERE = Path(__file__).parent
SAMPLE = (_HERE / "recorded" / "nccl" / "inspector-v5.1.prom").read_text()
GOLDEN = _HERE / "golden" / "nccl-inspector-v5.1.prom"
NAME = "nccl_inspector_metrics_GPU-0a1b.prom"


class Inspected:
    """A node, and what its jobs have written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = FakeClock()
        (root / FOLDER[1:]).mkdir(parents=True)

    def write(self, text: str | bytes, name: str = NAME, user: str = "1001", age_s: float = 10.0) -> Path:
        file = self.root / FOLDER[1:] / user / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        written_s = self.clock.now().timestamp() - age_s
        os.utime(file, (written_s, written_s))
        return file

    def text(self) -> str:
        return (
            NcclInspectorCollector(World(Places(str(self.root)), self.clock, FakeProcesses(self.clock)))
            .collect()
            .text()
        )

    def lines(self) -> list[str]:
        return [line for line in self.text().splitlines() if line[0] != "#"]


@pytest.fixture
def node(tmp_path: Path) -> Inspected:
    return Inspected(tmp_path)


def test_the_sample_of_the_plugin_is_told_as_reviewed(node: Inspected):
    node.write(SAMPLE)
    assert node.text() == GOLDEN.read_text()


def test_each_gpu_and_user_is_told(node: Inspected):
    for user, gpu in (("1001", 0), ("1001", 1), ("1002", 2)):
        node.write(SAMPLE.replace("GPU0", f"GPU{gpu}"), f"nccl_inspector_metrics_{gpu}.prom", user)
    found = node.lines()
    assert all(any(f'gpu="{gpu}"' in line for line in found) for gpu in (0, 1, 2))
    assert "trainyard_nccl_inspector_left_out 0" in found


@pytest.mark.parametrize("age_s", [181.0, 1e6])
def test_what_a_job_that_has_ended_left_is_not_told(age_s: float, node: Inspected):
    node.write(SAMPLE, age_s=age_s)
    assert node.lines() == ["trainyard_nccl_inspector_left_out 1"]


def test_a_link_a_folder_a_pipe_and_a_file_that_is_too_large_are_left_out(node: Inspected):
    secret = node.root / "secret"
    secret.write_text(SAMPLE)
    folder = node.write(SAMPLE, "nccl_inspector_metrics_a.prom").parent
    (folder / "nccl_inspector_metrics_a.prom").unlink()
    (folder / "nccl_inspector_metrics_a.prom").symlink_to(secret)
    (folder / "nccl_inspector_metrics_b.prom").mkdir()
    os.mkfifo(folder / "nccl_inspector_metrics_c.prom")
    node.write(SAMPLE * 400, "nccl_inspector_metrics_d.prom")
    node.write(SAMPLE, "another.prom")
    assert node.lines() == ["trainyard_nccl_inspector_left_out 4"]


def test_lines_of_another_form_are_passed_over(node: Inspected):
    node.write(
        b'nccl_bus_bandwidth_gbs{gpu="GPU0"} not-a-number\n'
        b'up{job="x"} 1\n\xff\x00\nnccl_bus_bandwidth_gbs{gpu="GPU0",collective="a\\"b"} 1\n'
        b'nccl_bus_bandwidth_gbs{gpu="GPU0"} 1.2.3\n'
        b'nccl_bus_bandwidth_gbs{slurm_job_id="7; rm",gpu="GPU1",collective="AllReduce"} 2\n'
    )
    named = [line for line in node.lines() if "busbw" in line]
    assert any(
        'jobid="unknown",gpu="1",operation="AllReduce"' in line and line.endswith(" 2000000000") for line in named
    )
    assert not any("rm" in line for line in named)


def test_a_job_of_a_thousand_communicators_makes_no_more_than_so_many_series(node: Inspected):
    for gpu in range(8):
        text = "".join(SAMPLE.replace("DP Group 0", f"c{number}") for number in range(200))
        node.write(text, f"nccl_inspector_metrics_{gpu}.prom")
    found = node.lines()
    assert len(found) <= 1001
    assert int(found[-1].split()[-1]) > 0


def test_a_folder_that_is_not_there_names_the_step(tmp_path: Path):
    clock = FakeClock()
    world = World(Places(str(tmp_path)), clock, FakeProcesses(clock))
    with pytest.raises(NodeError, match="66-node-metrics"):
        NcclInspectorCollector(world).collect()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        inspected = Inspected(Path(folder))
        inspected.write(SAMPLE)
        GOLDEN.write_text(inspected.text())
