"""MFU by hand, and where none may be shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.training.ledger.runs import Writer
from trainyard.training.ledger.ledger import Ledger, ledger_of
from trainyard.training.ledger.progress_lines import sessions_of
from trainyard.training.run import Model
from trainyard.training.run_file import parse_run
from trainyard.training.utilisation import flops_per_token, utilisation

RUN = """
kind: run
name: r
cluster: c.yaml
nodes: 2
program: {{template: ddp}}
time_limit_h: 1
model: {model}
"""


def model(**keys: Any) -> Model:
    found = parse_run(RUN.format(model=keys), "run.yaml")[0].model
    assert found is not None
    return found


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    # 16 GPUs, 100 steps of 4 s, 160 tokens a step of all ranks: 2.5 tokens each second and GPU.
    writer = Writer()
    writer.begin()
    writer.do_steps(100)
    writer.end("COMPLETED", reason="done")
    return ledger_of(writer.attempts, sessions_of(writer.lines))


def test_flops_of_a_token_are_those_of_palm():
    assert flops_per_token(model(parameters=8e9, layers=32, hidden=4096, context=8192)) == pytest.approx(
        48e9 + 12 * 32 * 4096 * 8192
    )
    assert flops_per_token(model(flops_per_token=5e9)) == 5e9


def test_half_of_what_the_gpus_can_is_half(ledger: Ledger):
    found = utilisation(ledger, "H100", model(flops_per_token=989.4e12 / 2 / 2.5))
    assert found.mfu == pytest.approx(0.5, rel=0.01)
    assert found.peak_tflop_s == 989.4
    assert found.source is not None


def test_the_peak_is_that_of_the_precision(ledger: Ledger):
    bf16, fp8 = (
        utilisation(ledger, "B200", model(flops_per_token=1e14, precision=name)).mfu for name in ("bf16", "fp8")
    )
    assert bf16 is not None
    assert fp8 == pytest.approx(bf16 / 2)


@pytest.mark.parametrize(
    ("gpu", "keys", "refusal"),
    [
        ("H100", {"flops_per_token": 1e15}, "cannot be"),
        ("H100", {"flops_per_token": 1e12, "precision": "fp4"}, "no dense peak of H100 in fp4 is known"),
        ("Trainium2", {"flops_per_token": 1e12}, "no dense peak"),
        (None, {"flops_per_token": 1e12}, "which GPUs"),
    ],
)
def test_what_cannot_be_or_is_unknown_is_refused(ledger: Ledger, gpu: str | None, keys: dict[str, Any], refusal: str):
    found = utilisation(ledger, gpu, model(**keys))
    assert found.mfu is None
    assert refusal in str(found.refusal)


@pytest.mark.parametrize(
    ("seen", "is_refused"),
    [("NVIDIA H100 80GB HBM3", False), ("NVIDIA A100-SXM4-40GB", True), ("NVIDIA H200", True), ("", True)],
)
def test_the_device_on_the_nodes_has_to_be_the_one_whose_peak_is_taken(seen: str, is_refused: bool):  # noqa: FBT001
    writer = Writer()
    writer.begin()
    writer.do_steps(100)
    writer.end("COMPLETED", reason="done")
    lines = [line.replace('"event": "start"', f'"event": "start", "gpus": ["{seen}"]') for line in writer.lines]
    assert lines != writer.lines
    ledger = ledger_of(writer.attempts, sessions_of(lines))
    found = utilisation(ledger, "H100", model(flops_per_token=1e14))
    assert (found.mfu is None) == is_refused
    assert not is_refused or "the spec's nodes have H100" in str(found.refusal)


# What the vendor's pages print for a GPU, with 2:4 sparsity: https://www.nvidia.com/en-us/data-center/h100/, …/h200/,
# …/l40s/, …/a100/, and for the eight GPUs of an HGX board https://www.nvidia.com/en-us/data-center/hgx/ (36 PFLOPS).
@pytest.mark.parametrize(
    ("gpu", "sparse_bf16_tflop_s"),
    [("A100", 624), ("H100", 1979), ("H200", 1979), ("L40S", 733), ("B200", 36_000 / 8), ("B300", 36_000 / 8)],
)
def test_a_peak_is_half_of_what_data_sheets_print_with_sparsity(ledger: Ledger, gpu: str, sparse_bf16_tflop_s: float):
    peak = utilisation(ledger, gpu, model(flops_per_token=1e9)).peak_tflop_s
    assert peak == pytest.approx(sparse_bf16_tflop_s / 2, rel=0.02)
