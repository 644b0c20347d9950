"""Model FLOPs utilisation (MFU): what the model computes in the time of its steps, by what the GPUs could at most.

Chowdhery et al., PaLM, appendix B: https://arxiv.org/abs/2204.02311. A figure without a known peak, or one that nothing
can reach, is refused and not shown.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.foreign_text import word_or_quoted
from trainyard.training.ledger.ledger import Ledger
from trainyard.training.run import Model


class Utilisation(NamedTuple):
    """The share, or why there is none; with the peak that it is a share of."""

    mfu: float | None
    refusal: str | None
    peak_tflop_s: float | None
    source: str | None


def flops_per_token(model: Model) -> float | None:
    """Return what training takes for a token: 6 for each parameter, and 12 x layers x width x context for attention."""
    if model.flops_per_token is not None:
        return model.flops_per_token
    if model.parameters is None:
        return None
    shape = (model.layers, model.hidden, model.context)
    attention = 12.0 * shape[0] * shape[1] * shape[2] if shape[0] and shape[1] and shape[2] else 0.0
    return 6 * model.parameters + attention


def utilisation(ledger: Ledger, gpu: str | None, model: Model | None) -> Utilisation:
    """Return the utilisation in the steps of a run that count. ``gpu`` is the vendor's name of its GPUs."""
    if model is None or gpu is None:
        return Utilisation(None, "nothing says which GPUs and which precision the run has", None, None)
    others = sorted({name for session in ledger.sessions for name in session.gpu_names if not _is(name, gpu)})
    if others:
        seen = ", ".join(word_or_quoted(name) for name in others[:3])
        return Utilisation(None, f"the spec's nodes have {gpu}, but the run was on {seen}", None, None)
    facts = _peaks().get(gpu)
    peak = None if facts is None else facts["dense_tflop_s"].get(model.precision)
    if facts is None or peak is None:
        return Utilisation(None, f"no dense peak of {gpu} in {model.precision} is known", None, None)
    gpu_s = (ledger.gpu_ms()["productive"] + ledger.gpu_ms()["slow"]) / 1000
    each = flops_per_token(model)
    tokens = ledger.tokens or float(ledger.steps * (model.tokens_per_step or 0))
    flops = tokens * each if tokens and each else ledger.flops
    if not flops or not gpu_s:
        return Utilisation(None, "nothing says how much the steps compute", peak, facts["source"])
    share = flops / gpu_s / (peak * 1e12)
    if share > 1:
        refusal = f"{share:.0%} of the dense peak in {model.precision} cannot be: the FLOPs or the tokens are wrong"
        return Utilisation(None, refusal, peak, facts["source"])
    return Utilisation(share, None, peak, facts["source"])


def _is(name: str, gpu: str) -> bool:
    """Return whether a driver's name such as NVIDIA H100 80GB HBM3 or NVIDIA A100-SXM4-40GB is of a GPU."""
    return set(gpu.casefold().split()) <= set(re.split(r"[^a-z0-9]+", name.casefold()))


@cache
def _peaks() -> dict[str, dict[str, Any]]:
    text = Path(__file__).with_name("peak_flops.yaml").read_text(encoding="utf-8")
    peaks: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return peaks
