"""The check of single GPUs, with a stand-in for torch that takes a known time for nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trainyard.bench.gpu_check import check_gpus
from trainyard.bench.programs import gpu_check

PROGRAM = Path(gpu_check.__file__)


class Matrix:
    def copy_(self, _other: Matrix) -> None:
        """Take no time."""


class Torch:
    """What gpu_check asks of torch."""

    __version__ = "2.13.0"
    version = SimpleNamespace(cuda="13.0")
    bfloat16, uint8 = "bfloat16", "uint8"

    def __init__(self, gpus: int = 1, broken: int | None = None) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.broken = broken
        self.cuda = SimpleNamespace(
            is_available=lambda: gpus > 0,
            device_count=lambda: gpus,
            set_device=lambda device: self.asked.append(("device", device)),
            get_device_name=lambda _device: "NVIDIA H100 80GB HBM3",
            synchronize=lambda: self.asked.append(("synchronize",)),
        )

    def randn(self, *shape: int, device: str, dtype: str) -> Matrix:
        self.asked.append(("randn", shape, device, dtype))
        if [one[1] for one in self.asked if one[0] == "device"][-1] == self.broken:
            raise RuntimeError("CUDA error: uncorrectable ECC error encountered\nCompile with TORCH_USE_CUDA_DSA")
        return Matrix()

    def empty(self, *shape: int, device: str, dtype: str) -> Matrix:
        self.asked.append(("empty", shape, device, dtype))
        return Matrix()

    def empty_like(self, _other: Matrix) -> Matrix:
        return Matrix()

    def mm(self, _one: Matrix, _other: Matrix, *, out: Matrix) -> Matrix:
        self.asked.append(("mm",))
        return out


def test_what_is_measured_is_a_line_that_the_verdict_reads():
    torch = Torch()
    found = gpu_check.measured(torch, "q-st-gpu-1", 3)
    assert (found["device"], found["name"]) == (3, "NVIDIA H100 80GB HBM3")
    (gpu,) = check_gpus(json.dumps(found), 1).gpus
    assert (gpu.host, gpu.device) == ("q-st-gpu-1", 3)
    assert gpu.bf16_tflop_s > 989  # a stand-in takes no time
    assert torch.asked[0] == ("device", 3)
    assert ("randn", (8192, 8192), "cuda", "bfloat16") in torch.asked


def test_the_clock_is_read_only_when_the_gpu_has_finished():
    torch = Torch()
    gpu_check.measured(torch, "host", 0)
    asked = [one[0] for one in torch.asked if one[0] in {"mm", "synchronize"}]
    first = asked.index("synchronize")
    assert asked[:first] == ["mm"] * 3
    assert asked[first + 1 : first + 32] == ["mm"] * 30 + ["synchronize"]


def test_figures_are_operations_and_bytes_by_time(monkeypatch: pytest.MonkeyPatch):
    """A second for each of 30 repetitions: 2 · 8,192³ operations, and 2 GiB that are read and written."""
    clock = iter(range(0, 10_000, 30))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(clock)))
    found = gpu_check.measured(Torch(), "host", 0)
    assert found["bf16_tflop_s"] == pytest.approx(2 * 8192**3 / 1e12, abs=0.05)
    assert found["memory_gb_s"] == pytest.approx(2 * 2 * 2**30 / 1e9, abs=0.05)


def test_a_gpu_that_fails_does_not_keep_the_others_from_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "torch", Torch(gpus=4, broken=2))
    assert gpu_check.main() == 1
    said = capsys.readouterr()
    assert [gpu.device for gpu in check_gpus(said.out, 4).gpus] == [0, 1, 3]
    assert said.err.endswith(": CUDA error: uncorrectable ECC error encountered\n")
    assert said.err.startswith("gpu_check: error: GPU 2 of ")
    assert said.err.count("\n") == 1


@pytest.mark.integration
def test_a_node_without_torch_or_gpu_says_so_in_one_line():
    variables = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=False, env=variables)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert done.stderr.startswith("gpu_check: error: ")
