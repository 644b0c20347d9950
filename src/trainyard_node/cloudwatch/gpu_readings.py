"""What nvidia-smi says about each GPU, under the names that the documents gave to DCGM's figures.

The agent's own nvidia_gpu asks the same program, but it has neither this namespace beside the one for CPU and memory
nor the dimension GPU, and what it calls utilization_memory is how busy the memory is, not how full.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-NVIDIA-GPU.html
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.embedded_metrics import MetricBatch, MetricValues
from trainyard_node.errors import NodeError
from trainyard_node.programs import Programs

# https://docs.nvidia.com/deploy/nvidia-smi/index.html
_FIELDS = ("index", "utilization.gpu", "temperature.gpu", "power.draw", "memory.used", "memory.free", "memory.total")
COMMAND = ("nvidia-smi", f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader,nounits")
_TIMEOUT_S = 30.0
_MOST_BYTES = 1 << 20


class GpuReadings:
    """One command a reading."""

    name = "gpu"

    def __init__(self, programs: Programs, cluster: str, instance_id: str) -> None:
        """Remember whose GPUs they are."""
        self._programs, self._instance = programs, instance_id
        self._namespace = f"ParallelCluster/{cluster}/GPU"

    def batches(self) -> Iterator[MetricBatch]:
        """Yield the metrics of each GPU. Raises NodeError where nvidia-smi fails or names none."""
        output = self._programs.read(COMMAND, _TIMEOUT_S, _MOST_BYTES, {"LC_ALL": "C.UTF-8"})
        lines = [line.split(", ") for line in output.decode("utf-8", "replace").splitlines()]
        gpus = [line for line in lines if len(line) == len(_FIELDS) and line[0].isdigit()]
        if not gpus:
            raise NodeError("nvidia-smi names no GPU: see trainyard-node health")
        for gpu in gpus:
            yield MetricBatch(self._namespace, {"InstanceId": self._instance, "GPU": gpu[0]}, _metrics(gpu))


def _metrics(fields: list[str]) -> list[MetricValues]:
    """Return the metrics of a GPU, without those that it does not have."""
    busy, celsius, watts, used_mib, free_mib, total_mib = (_numbers(field) for field in fields[1:])
    full = tuple(100 * used / total for used, total in zip(used_mib, total_mib) if total)
    return [
        MetricValues("GPUUtilization", "Percent", busy),
        MetricValues("GPUMemoryUtilization", "Percent", full),
        MetricValues("GPUTemperature", "None", celsius),
        MetricValues("GPUPowerUsage", "None", watts),
        # In MiB, which CloudWatch has no word for: the agent calls them megabytes too.
        MetricValues("GPUMemoryUsed", "Megabytes", used_mib),
        MetricValues("GPUMemoryFree", "Megabytes", free_mib),
    ]


def _numbers(text: str) -> tuple[float, ...]:
    """Return a number, or none where it says [N/A]."""
    try:
        return (float(text),)
    except ValueError:
        return ()
