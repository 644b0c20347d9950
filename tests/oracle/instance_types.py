"""What EC2 answers to DescribeInstanceTypes: the recording that moto carries, and the catalog for what it lacks."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import moto

from trainyard.catalog.instances import find, researched_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.catalog.instance_type import InstanceType

# The type of a reservation that decides the type of its compute resource: tests/oracle/answers/capacity.py.
_LEFT_OPEN = "p5.48xlarge"


def described(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the types that these configs may ask about; all 1,400 would take longer to hand over than to validate."""
    return {
        name: facts
        for name, facts in _every_type().items()
        if name == _LEFT_OPEN or any(name in text for text in texts)
    }


@cache
def _every_type() -> dict[str, dict[str, Any]]:
    recording = Path(moto.__file__).parent / "ec2/resources/instance_types.json.gz"
    recorded: dict[str, dict[str, Any]] = json.loads(gzip.decompress(recording.read_bytes()))
    known = [kind for name in researched_names() if name not in recorded and (kind := find(name))]
    return {**recorded, **{kind.name: _from_catalog(kind) for kind in known}}


def _from_catalog(kind: InstanceType) -> dict[str, Any]:
    """Return what pcluster reads of a type that moto has no recording of, p6e-gb200.36xlarge at the time of writing.

    Where the catalog does not know, the type can do whatever pcluster asks for.
    """
    gpu = kind.accelerators
    return {
        "InstanceType": kind.name,
        "SupportedUsageClasses": list(kind.usage_classes or ("on-demand", "spot", "capacity-block")),
        "ProcessorInfo": {"SupportedArchitectures": [kind.architecture]},
        "VCpuInfo": {
            "DefaultVCpus": kind.vcpus,
            "DefaultCores": kind.cores or kind.vcpus,
            "DefaultThreadsPerCore": kind.threads_per_core or 1,
        },
        "MemoryInfo": {"SizeInMiB": kind.memory_mib},
        "InstanceStorageSupported": kind.nvme != (),
        "EbsInfo": {"EbsOptimizedSupport": "default"},
        "PlacementGroupInfo": {"SupportedStrategies": list(kind.placement_strategies or ("cluster",))},
        "NetworkInfo": _network(kind),
        **({"GpuInfo": {"Gpus": [_gpu(kind)]}} if gpu and gpu.vendor == "nvidia" else {}),
    }


def _network(kind: InstanceType) -> dict[str, Any]:
    cards = [
        {
            "NetworkCardIndex": card.index,
            "MaximumNetworkInterfaces": card.max_interfaces,
            "InterfaceTypes": list(card.kinds),
        }
        for card in kind.cards or ()
    ]
    return {
        "EfaSupported": bool(kind.has_efa),
        "EfaInfo": {"MaximumEfaInterfaces": kind.efa_interfaces or 0},
        "MaximumNetworkCards": len(cards),
        "NetworkCards": cards,
    }


def _gpu(kind: InstanceType) -> dict[str, Any]:
    gpu = kind.accelerators
    return {"Manufacturer": "NVIDIA", "Name": gpu.model, "Count": gpu.count} if gpu else {}
