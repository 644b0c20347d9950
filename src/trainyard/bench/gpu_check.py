"""What GPUs compute and move by themselves, held against the specification of their type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import yaml

from trainyard.bench.case import kinds
from trainyard.bench.judge import Verdict
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of

_FILE = Path(__file__).with_name("expectations") / "gpus.yaml"
_SLOWER_THAN_OTHERS = 0.93
_SAYS_WHY = "gpu_check: error: "
_MOST_REASONS = 3


class GpuMeasurement(NamedTuple):
    """What a GPU has shown."""

    host: str
    device: int
    name: str
    bf16_tflop_s: float
    memory_gb_s: float


class GpuCheck(NamedTuple):
    """The GPUs of a run of gpu_check, with the verdict."""

    gpus: tuple[GpuMeasurement, ...]
    verdict: Verdict
    findings: tuple[Finding, ...]


def check_gpus(text: str, expected: int) -> GpuCheck:
    """Return the verdict on what gpu_check has printed, of so many GPUs."""
    gpus = tuple(_gpus(text))
    findings = (*_missing(gpus, expected, text), *_findings(gpus))
    severities = {finding.severity for finding in findings}
    all_known = bool(gpus) and all(_specification(gpu.name) is not None for gpu in gpus)
    verdict: Verdict = "healthy" if all_known else "unknown"
    if "warning" in severities:
        verdict = "degraded"
    return GpuCheck(gpus, "broken" if "error" in severities else verdict, findings)


def _gpus(text: str) -> Iterator[GpuMeasurement]:
    """Yield what lines of JSON say; srun and torch may have written others between them."""
    for line in text.splitlines():
        try:
            value = json.loads(line) if line.startswith('{"gpu_check"') else None
        except ValueError:
            continue
        if isinstance(value, dict):
            try:
                yield GpuMeasurement(
                    str(value["host"]), int(value["device"]), str(value["name"]),
                    float(value["bf16_tflop_s"]), float(value["memory_gb_s"]),
                )  # fmt: skip
            except (KeyError, TypeError, ValueError):
                continue


def _missing(gpus: tuple[GpuMeasurement, ...], expected: int, text: str) -> Iterator[Finding]:
    if len(gpus) < expected:
        reasons = dict.fromkeys(line[len(_SAYS_WHY) :] for line in text.splitlines() if line.startswith(_SAYS_WHY))
        why = f": {'; '.join(islice(reasons, _MOST_REASONS))}" if reasons else ""
        yield finding_of(kinds(), "bench-gpus-missing", f"{len(gpus)} of {expected} GPUs have shown anything{why}")


def _findings(gpus: tuple[GpuMeasurement, ...]) -> Iterator[Finding]:
    for gpu in gpus:
        specification = _specification(gpu.name)
        if specification is None:
            message = f"nothing is known of {gpu.name}: {gpu.bf16_tflop_s:,.0f} TFLOP/s, {gpu.memory_gb_s:,.0f} GB/s"
            yield finding_of(kinds(), "bench-nothing-to-compare", message)
            return
        yield from _below(gpu, "bf16_tflop_s", "TFLOP/s in bfloat16", specification)
        yield from _below(gpu, "memory_gb_s", "GB/s of memory", specification)
    yield from _beside_others(gpus)


def _below(gpu: GpuMeasurement, what: str, unit: str, specification: dict[str, Any]) -> Iterator[Finding]:
    measured, most = getattr(gpu, what), specification[what]
    least = most * specification["least_share"][what]
    if measured < least:
        message = (
            f"GPU {gpu.device} of {gpu.host} reaches {measured:,.0f} {unit}, {measured / most:.0%} of the {most:,.0f} "
            f"of {gpu.name}; at least {least:,.0f} are expected"
        )
        yield finding_of(kinds(), "bench-gpu-slow", message)


def _beside_others(gpus: tuple[GpuMeasurement, ...]) -> Iterator[Finding]:
    """Yield those that are slower than the others though none is below what is expected: every step waits for them."""
    usual = median(gpu.bf16_tflop_s for gpu in gpus) if len(gpus) > 2 else 0.0
    for gpu in gpus:
        if gpu.bf16_tflop_s < usual * _SLOWER_THAN_OTHERS:
            share = f"{gpu.bf16_tflop_s:,.0f} TFLOP/s, where half of the others reach {usual:,.0f} and more"
            yield finding_of(kinds(), "bench-gpu-slow", f"GPU {gpu.device} of {gpu.host} reaches {share}")


def _specification(name: str) -> dict[str, Any] | None:
    """Return what is known of a GPU by what its driver calls it; of those that fit, the one with the most words."""
    words = set(name.replace("-", " ").split())
    fitting = [specification for specification in _specifications() if words.issuperset(specification["words"])]
    return max(fitting, key=lambda fitting_entry: len(fitting_entry["words"]), default=None)


@cache
def _specifications() -> tuple[dict[str, Any], ...]:
    content: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return tuple({**gpu, "least_share": content["least_share"]} for gpu in content["gpus"])
