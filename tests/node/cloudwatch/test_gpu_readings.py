"""What nvidia-smi says, as metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from trainyard.render.cloudwatch_metrics import OF_GPU
from trainyard_node.cloudwatch.gpu_readings import GpuReadings
from trainyard_node.embedded_metrics import MetricBatch
from trainyard_node.errors import NodeError

# In the form of `nvidia-smi --query-gpu=… --format=csv,noheader,nounits`; a GPU that is lost, and one that is split.
OUTPUT = b"""\
0, 97, 61, 652.31, 40779, 40238, 81559
1, [GPU is lost], [N/A], [N/A], [N/A], [N/A], [N/A]
2, [N/A], 33, 70.02, 0, 81016, 81559
"""


class Nvidia:
    """A program that prints something."""

    def __init__(self, output: bytes) -> None:
        """Print it."""
        self.output = output
        self.commands: list[Sequence[str]] = []

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        assert timeout_s < 60
        assert most_bytes
        assert variables
        self.commands.append(command)
        return self.output


def readings(output: bytes = OUTPUT) -> list[MetricBatch]:
    return list(GpuReadings(Nvidia(output), "llm", "i-1").batches())


def values(batch: MetricBatch) -> dict[str, float]:
    return {metric.name: metric.values[0] for metric in batch.metrics if metric.values}


def test_each_gpu_has_the_metrics_of_the_documents():
    first = readings()[0]
    assert first.namespace == "ParallelCluster/llm/GPU"
    assert first.dimensions == {"InstanceId": "i-1", "GPU": "0"}
    assert values(first) == {
        "GPUUtilization": 97.0,
        "GPUMemoryUtilization": pytest.approx(100 * 40779 / 81559),
        "GPUTemperature": 61.0,
        "GPUPowerUsage": 652.31,
        "GPUMemoryUsed": 40779.0,
        "GPUMemoryFree": 40238.0,
    }
    assert len(first.metrics) == OF_GPU


def test_how_full_the_memory_is_is_not_how_busy_it_is():
    programs = Nvidia(OUTPUT)
    list(GpuReadings(programs, "llm", "i-1").batches())
    assert "utilization.memory" not in " ".join(programs.commands[0])


def test_a_gpu_that_is_lost_has_no_values_and_hides_no_other():
    _, lost, third = readings()
    assert values(lost) == {}
    assert values(third)["GPUTemperature"] == 33.0
    assert "GPUUtilization" not in values(third)


def test_all_gpus_are_one_command():
    programs = Nvidia(OUTPUT)
    assert len(list(GpuReadings(programs, "llm", "i-1").batches())) == 3
    assert len(programs.commands) == 1


@pytest.mark.parametrize("output", [b"", b"No devices were found\n", b"\xff\xfe\x00", b"0, 97\n"])
def test_a_node_without_gpus_says_so(output: bytes):
    with pytest.raises(NodeError, match="no GPU"):
        readings(output)


def test_a_gpu_that_says_it_has_no_memory_has_no_share_of_it():
    (batch,) = readings(b"0, 1, 2, 3, 0, 0, 0\n")
    assert "GPUMemoryUtilization" not in values(batch)
