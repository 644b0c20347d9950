"""What dcgm-exporter says of the GPUs of a node.

The labels and their order: https://github.com/NVIDIA/dcgm-exporter/blob/main/internal/pkg/rendermetrics/render_metrics.go
The host is `Hostname` in versions up to 4.8.2 and `hostname` later: https://github.com/NVIDIA/dcgm-exporter/pull/655
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from trainyard.simulation.curve import Curve
from trainyard.simulation.node import PHASES, SimulatedNode, SimulatedSeries, Where, data, labelled, pieces

# Of p5.48xlarge: https://github.com/aws/aws-ofi-nccl/blob/master/topology/p5.48xl-topo.xml
_BUSES = ("53", "64", "75", "86", "97", "A8", "B9", "CA")
_MODELS = {"H100": "NVIDIA H100 80GB HBM3", "A10G": "NVIDIA A10G"}
_XID = "DCGM_FI_DEV_XID_ERRORS"
_PROFILED = "DCGM_FI_PROF_"


def gpu_series(node: SimulatedNode, host_label: str = "hostname") -> Iterator[SimulatedSeries]:
    """Yield the series of all GPUs, metric by metric."""
    for name, values in _values(node.gpu_model).items():
        if name.startswith(_PROFILED) and not node.has_gpm:
            continue
        for gpu in range(node.gpus):
            labels = _labels(node, gpu, host_label)
            found = pieces(node, "gpu", name, values, Where(gpu=gpu))
            curve = Curve(found, values.get("wave", 0), values.get("digits"), phase=node.phase % PHASES * 8 + gpu)
            yield from _xids(labels, curve) if name == _XID else [SimulatedSeries(name, labels, curve)]


@cache
def _values(model: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what is known of a model; one that is unknown is as an H100."""
    values = {**data("gpu_values")["H100"], **data("gpu_values").get(model, {})}
    return {name: value for name, value in values.items() if value is not None}


def _labels(node: SimulatedNode, gpu: int, host_label: str) -> str:
    return labelled(
        [
            ("gpu", str(gpu)),
            ("UUID", f"GPU-{node.phase:08x}-0000-4000-8000-{gpu:012x}"),
            ("pci_bus_id", f"00000000:{_BUSES[gpu]}:00.0"),
            ("device", f"nvidia{gpu}"),
            ("modelName", _MODELS.get(node.gpu_model, f"NVIDIA {node.gpu_model}")),
            (host_label, node.host),
        ]
    )


def _xids(labels: str, curve: Curve) -> Iterator[SimulatedSeries]:
    """Yield a series for each Xid, as its number and its name are labels.

    https://github.com/NVIDIA/dcgm-exporter/pull/309
    """
    for number in dict.fromkeys(piece.level for piece in curve.pieces if piece.level is not None):
        found = tuple(piece if piece.level == number else piece._replace(level=None) for piece in curve.pieces)
        message = data("gpu_values")["xids"].get(number, "Unknown Error")
        yield SimulatedSeries(_XID, f'{labels},err_code="{number}",err_msg="{message}"', curve._replace(pieces=found))
