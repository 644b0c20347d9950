"""What GPUs show by themselves, against the specification of their type."""

from __future__ import annotations

import json

import pytest

from trainyard.bench.gpu_check import check_gpus

H100 = "NVIDIA H100 80GB HBM3"


def line(device: int = 0, name: str = H100, tflop_s: float = 720.0, memory_gb_s: float = 3010.0) -> str:
    return json.dumps(
        {
            "gpu_check": 1, "host": "q-st-gpu-1", "device": device, "name": name,
            "bf16_tflop_s": tflop_s, "memory_gb_s": memory_gb_s, "torch": "2.13.0", "cuda": "13.0",
        }
    )  # fmt: skip


def ids(text: str, expected: int = 1) -> list[str]:
    return [finding.id for finding in check_gpus(text, expected).findings]


def test_a_gpu_near_its_specification_is_healthy():
    checked = check_gpus(f"srun: job 7 queued\n{line()}\n", 1)
    assert (checked.verdict, checked.findings, checked.gpus[0].memory_gb_s) == ("healthy", (), 3010.0)


@pytest.mark.parametrize(
    ("name", "tflop_s", "memory_gb_s"),
    [
        ("NVIDIA A100-SXM4-40GB", 250, 1330), ("NVIDIA A100-SXM4-80GB", 250, 1700), (H100, 700, 2900),
        ("NVIDIA H200", 700, 4100), ("NVIDIA B200", 1600, 6800), ("NVIDIA B300 SXM6 AC", 1600, 6800),
    ],
)  # fmt: skip
def test_every_gpu_of_the_table_is_known_by_what_its_driver_calls_it(name: str, tflop_s: float, memory_gb_s: float):
    assert check_gpus(line(0, name, tflop_s, memory_gb_s), 1).verdict == "healthy"
    assert ids(line(0, name, tflop_s / 2, memory_gb_s)) == ["bench-gpu-slow"]
    assert ids(line(0, name, tflop_s, memory_gb_s / 2)) == ["bench-gpu-slow"]


def test_what_is_slow_is_said_with_figures():
    (finding,) = check_gpus(line(3, tflop_s=400), 1).findings
    assert finding.message == (
        "GPU 3 of q-st-gpu-1 reaches 400 TFLOP/s in bfloat16, 40% of the 989 of NVIDIA H100 80GB HBM3; "
        "at least 593 are expected"
    )


def test_one_gpu_that_is_slower_than_its_neighbours_is_found_though_it_is_fast_enough():
    text = "\n".join(line(device, tflop_s=650 if device == 5 else 740) for device in range(8))
    (finding,) = check_gpus(text, 8).findings
    assert finding.message.startswith("GPU 5 of q-st-gpu-1 reaches 650 TFLOP/s, where half of the others reach 740")


def test_gpus_that_say_nothing_are_missed():
    checked = check_gpus(line(), 8)
    assert (checked.verdict, [finding.message for finding in checked.findings]) == (
        "broken", ["1 of 8 GPUs have shown anything"],
    )  # fmt: skip


def test_why_gpus_say_nothing_is_told_once():
    reason = "gpu_check: error: torch finds no GPU on this node"
    (finding,) = check_gpus(f"{reason}\n{reason}\nsrun: error: Exited with exit code 3\n", 16).findings
    assert finding.message == "0 of 16 GPUs have shown anything: torch finds no GPU on this node"
    failing = "\n".join(f"gpu_check: error: GPU {device} of q-st-gpu-1: out of memory" for device in range(8))
    (finding,) = check_gpus(failing, 8).findings
    three = (f"GPU {device} of q-st-gpu-1: out of memory" for device in range(3))
    assert finding.message == f"0 of 8 GPUs have shown anything: {'; '.join(three)}"


def test_a_gpu_that_nobody_knows_is_shown_and_not_judged():
    checked = check_gpus(line(0, "NVIDIA GeForce RTX 4090"), 1)
    assert (checked.verdict, [finding.id for finding in checked.findings]) == ("unknown", ["bench-nothing-to-compare"])


def test_a_pci_card_is_not_held_against_the_figures_of_sxm():
    assert check_gpus(line(0, "NVIDIA H100 PCIe"), 1).verdict == "unknown"


@pytest.mark.parametrize(
    "text",
    ["", "gpu_check: error: torch finds no GPU on this node\n", line()[:40], '{"gpu_check": 1}', '{"gpu_check": [1]}'],
)
def test_damaged_output_is_no_gpu(text: str):
    checked = check_gpus(text, 1)
    assert (checked.gpus, checked.verdict) == ((), "broken")
