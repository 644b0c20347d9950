"""How many NeuronCores a chip has, by its model: neuron_cores.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml


@cache
def neuron_cores_of_chips() -> dict[str, int]:
    """Return the number of NeuronCores of one chip by the chip's model."""
    with Path(__file__).with_suffix(".yaml").open("rb") as file:
        cores: dict[str, int] = yaml.load(file, Loader=yaml.CSafeLoader)
    return cores
