"""How often a checkpoint pays: by Young's and Daly's formula, from the failures of published runs.

J. W. Young, A first order approximation to the optimum checkpoint interval: https://doi.org/10.1145/361147.361115
J. T. Daly, A higher order estimate of the optimum checkpoint interval: https://doi.org/10.1016/j.future.2004.11.016
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

_DAY_S = 86_400.0


class FailureRate(NamedTuple):
    """How often nodes fail, and who says so."""

    name: str
    per_1000_node_days: float
    what: str
    source: str

    def mtbf_s(self, nodes: int) -> float:
        """Return the mean time between interruptions of a job on so many nodes."""
        return 1000 * _DAY_S / (self.per_1000_node_days * nodes)


@cache
def failure_rates() -> dict[str, FailureRate]:
    """Return the published ones, by name."""
    text = Path(__file__).with_name("failure_rates.yaml").read_text(encoding="utf-8")
    return {name: FailureRate(name, **facts) for name, facts in yaml.safe_load(text).items()}


def young_s(write_s: float, mtbf_s: float) -> float:
    """Return the best time between checkpoints in the first order: sqrt(2 δ M)."""
    return math.sqrt(2 * write_s * mtbf_s)


def daly_s(write_s: float, mtbf_s: float) -> float:
    """Return the best time of computing between checkpoints, equation 37 of Daly; M where a checkpoint takes 2 M."""
    if write_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = write_s / (2 * mtbf_s)
    return young_s(write_s, mtbf_s) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_s


def lost_share(interval_s: float, write_s: float, mtbf_s: float) -> float:
    """Return the share of the time that goes to checkpoints and to work that is done again, without restarts.

    Equation 20 of Daly with a restart that takes no time: the time to compute without failures, divided by
    M (exp((τ + δ) / M) - 1) / τ for each second of it.
    """
    exponent = min((interval_s + write_s) / mtbf_s, 700.0)  # beyond it a float ends, and nothing is left anyway
    return 1 - interval_s / (mtbf_s * math.expm1(exponent))
