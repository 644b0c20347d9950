"""Writes catalog/ec2_instance_types.json: what EC2's DescribeInstanceTypes says, from the dump in the installed moto.

Types that have a file in catalog/instances/ are left to it. `ec2_corrections.yaml` says where the dump is wrong.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import moto
import yaml

from trainyard.catalog import catalog_file, instances

CORRECTIONS = Path(__file__).with_name("ec2_corrections.yaml")
_SOURCE = "ec2-describe-instance-types"
_USAGE_CLASSES = ("on-demand", "spot", "capacity-block")


def ec2_instance_types() -> str:
    """Return the text of the file: JSON with a line for each family, so that one of them can be read alone."""
    corrections = yaml.safe_load(CORRECTIONS.read_text(encoding="utf-8"))
    types = _by_name(corrections)
    sources = {_SOURCE: _source(corrections["dump_read"]), **corrections["sources"]}
    lines = [f'"sources": {json.dumps(sources)}']
    for family, names in groupby(sorted(types), key=lambda name: name.partition(".")[0]):
        lines.append(f'"{family}": {json.dumps({name: types[name] for name in names}, separators=(",", ":"))}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def facts_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the facts in what EC2 says of one type. What it does not say is left out, and so unknown."""
    processors, network = answer["VCpuInfo"], answer["NetworkInfo"]
    disks = answer.get("InstanceStorageInfo", {})
    is_nvme = disks.get("NvmeSupport") in ("required", "supported")
    facts = {
        "vcpus": processors["DefaultVCpus"],
        "cores": processors.get("DefaultCores"),
        "threads_per_core": processors.get("DefaultThreadsPerCore"),
        "memory_mib": answer["MemoryInfo"]["SizeInMiB"],
        "architecture": _architecture(answer["ProcessorInfo"]["SupportedArchitectures"]),
        "bare_metal": answer["BareMetal"],
        "nvme": [{"count": disk["Count"], "size_gb": disk["SizeInGB"]} for disk in disks.get("Disks", ()) if is_nvme],
        "network_performance": network["NetworkPerformance"],
        "network_cards": list(_card_ranges(network["NetworkCards"])),
        "efa_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "placement_strategies": sorted(answer["PlacementGroupInfo"]["SupportedStrategies"]),
        "usage_classes": [way for way in _USAGE_CLASSES if way in answer["SupportedUsageClasses"]],
    }
    return {**{fact: value for fact, value in facts.items() if value is not None}, **_accelerators(answer)}


def _by_name(corrections: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return facts by source of every type of the dump that nobody else describes."""
    path = Path(moto.__file__).parent / "ec2/resources/instance_types.json.gz"
    answers = json.loads(gzip.decompress(path.read_bytes()))
    described = sorted(set(answers) - set(instances.researched_names()))
    return {name: _corrected(name, facts_of(answers[name]), corrections) for name in described}


def _corrected(name: str, facts: dict[str, Any], corrections: dict[str, Any]) -> dict[str, Any]:
    """Return facts by source, of the dump those that no correction names."""
    others = corrections["types"].get(name, {})
    named = {*corrections["unknown"].get(name, ()), *(fact for of_source in others.values() for fact in of_source)}
    return {_SOURCE: {fact: value for fact, value in facts.items() if fact not in named}, **others}


def _architecture(supported: list[str]) -> str | None:
    return next((name for name in ("x86_64", "arm64") if name in supported), None)  # macOS has names of its own


def _accelerators(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what our facts have words for: GPUs of NVIDIA and chips of AWS. Where there are others, nothing."""
    for device in answer.get("GpuInfo", {}).get("Gpus", ()):
        count = device["Count"] or device["LogicalGpuCount"]  # a share of a GPU looks like one
        return _alike(device["Manufacturer"].lower(), device["Name"], count, device["MemoryInfo"]["SizeInMiB"])
    for device in answer.get("NeuronInfo", {}).get("NeuronDevices", ()):
        return _alike("aws", device["Name"], device["Count"], device["MemoryInfo"]["SizeInMiB"])
    others = {"InferenceAcceleratorInfo", "MediaAcceleratorInfo", "FpgaInfo"} & answer.keys()
    return {} if others else {"accelerators": None}


def _alike(vendor: str, model: str, count: int, memory_mib: int) -> dict[str, Any]:
    return {
        "accelerators": {"vendor": vendor, "model": model, "count": count},
        "accelerator_memory_mib": memory_mib,
    }


def _card_ranges(cards: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the cards, those that follow each other and are alike as one."""
    for alike, members in groupby(sorted(cards, key=lambda card: card["NetworkCardIndex"]), key=_card_facts):
        indexes = [card["NetworkCardIndex"] for card in members]
        yield {"first": indexes[0], "last": indexes[-1], **dict(alike)}


def _card_facts(card: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    facts = {
        "max_interfaces": card["MaximumNetworkInterfaces"],
        "baseline_gbit_s": card.get("BaselineBandwidthInGbps"),
        "peak_gbit_s": card.get("PeakBandwidthInGbps"),
        "kinds": tuple(card["InterfaceTypes"]),
    }
    return tuple((fact, value) for fact, value in facts.items() if value is not None)


def _source(read: str) -> dict[str, str]:
    url = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html"
    return {"what": f"EC2 DescribeInstanceTypes, as bundled with moto {version('moto')}", "url": url, "read": read}


if __name__ == "__main__":
    instances.DESCRIBED.write_text(ec2_instance_types(), encoding="utf-8")
    print(f"{instances.DESCRIBED.relative_to(catalog_file.FOLDER)}: {len(instances.names())} types are known")
