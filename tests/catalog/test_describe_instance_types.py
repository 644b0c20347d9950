"""The catalog against EC2's own answer: the DescribeInstanceTypes dump that moto carries.

A fact that deliberately differs stands in DIFFERENCES with the reason. One that no longer differs has to leave it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import moto
import pytest

from tests.each_case import each_case
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find, researched_names

NOT_IN_THE_DUMP = {"p6e-gb200.36xlarge"}

OVERSTATED_CARD = "the dump gives every card the bandwidth of the instance, which the cards share"
DIFFERENCES: dict[tuple[str, str], str] = {
    (
        "p6-b200.48xlarge",
        "efa_gbit_s",
    ): "the dump's 200 for a card is ENA; a card carries 400 Gbit/s of EFA, 8 x 400 in all",
    ("g6e.24xlarge", "efa_gbit_s"): OVERSTATED_CARD,
    ("g6e.48xlarge", "efa_gbit_s"): OVERSTATED_CARD,
    ("hpc6id.32xlarge", "efa_gbit_s"): OVERSTATED_CARD,
    ("hpc8a.96xlarge", "efa_gbit_s"): OVERSTATED_CARD,
    (
        "trn2.3xlarge",
        "efa_gbit_s",
    ): "the dump gives the card 50, the baseline; the instance has 200, as its own summary says",
    ("trn2.3xlarge", "accelerator_memory_mib"): "the dump's 512 GiB is more than a Trainium2 chip has, which is 96 GiB",
    (
        "trn2.48xlarge",
        "accelerator_memory_mib",
    ): "the dump's 512 GiB is more than a Trainium2 chip has, which is 96 GiB",
}


def _accelerator_lists(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [*answer.get("GpuInfo", {}).get("Gpus", []), *answer.get("NeuronInfo", {}).get("NeuronDevices", [])]


def _accelerators(answer: dict[str, Any]) -> tuple[str, str, int] | None:
    found = _accelerator_lists(answer)
    return (found[0].get("Manufacturer", "AWS").lower(), found[0]["Name"], found[0]["Count"]) if found else None


def _accelerator_memory_mib(answer: dict[str, Any]) -> int | None:
    found = _accelerator_lists(answer)
    return found[0]["MemoryInfo"]["SizeInMiB"] if found else None


def _cards(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            card["NetworkCardIndex"],
            card["MaximumNetworkInterfaces"],
            card["BaselineBandwidthInGbps"],
            card["PeakBandwidthInGbps"],
            tuple(card["InterfaceTypes"]),
        )
        for card in answer["NetworkInfo"]["NetworkCards"]
    ]


def _our_cards(ours: InstanceType) -> list[tuple[Any, ...]]:
    return [
        (card.index, card.max_interfaces, alike.baseline_gbit_s, alike.peak_gbit_s, card.kinds)
        for alike in ours.network_cards or ()
        for card in alike.cards()
    ]


def _efa_gbit_s(answer: dict[str, Any]) -> float | None:
    """What the dump's cards would add up to."""
    cards = [
        card["PeakBandwidthInGbps"] for card in answer["NetworkInfo"]["NetworkCards"] if "efa" in card["InterfaceTypes"]
    ]
    return sum(cards) if cards else None


def _known(name: str) -> InstanceType:
    instance_type = find(name)
    assert instance_type is not None
    return instance_type


# Fact, ours, the dump's.
FACTS: dict[str, tuple[Callable[[InstanceType], Any], Callable[[dict[str, Any]], Any]]] = {
    "vcpus": (lambda t: t.vcpus, lambda a: a["VCpuInfo"]["DefaultVCpus"]),
    "cores": (lambda t: t.cores, lambda a: a["VCpuInfo"]["DefaultCores"]),
    "threads_per_core": (lambda t: t.threads_per_core, lambda a: a["VCpuInfo"]["DefaultThreadsPerCore"]),
    "memory_mib": (lambda t: t.memory_mib, lambda a: a["MemoryInfo"]["SizeInMiB"]),
    "architecture": (lambda t: [t.architecture], lambda a: a["ProcessorInfo"]["SupportedArchitectures"]),
    "bare_metal": (lambda t: t.bare_metal, lambda a: a["BareMetal"]),
    "accelerators": (
        lambda t: t.accelerators and (t.accelerators.vendor, t.accelerators.model, t.accelerators.count),
        _accelerators,
    ),
    "accelerator_memory_mib": (lambda t: t.accelerator_memory_mib, _accelerator_memory_mib),
    "nvme": (
        lambda t: [(disk.count, disk.size_gb) for disk in t.nvme or ()],
        lambda a: [(disk["Count"], disk["SizeInGB"]) for disk in a.get("InstanceStorageInfo", {}).get("Disks", [])],
    ),
    "network_performance": (lambda t: t.network_performance, lambda a: a["NetworkInfo"]["NetworkPerformance"]),
    "network_cards": (_our_cards, _cards),
    "network_card_count": (lambda t: t.network_card_count, lambda a: a["NetworkInfo"]["MaximumNetworkCards"]),
    "max_network_interfaces": (
        lambda t: sum(card.max_interfaces for card in t.cards or ()),
        lambda a: a["NetworkInfo"]["MaximumNetworkInterfaces"],
    ),
    "has_efa": (lambda t: t.has_efa, lambda a: a["NetworkInfo"]["EfaSupported"]),
    "efa_interfaces": (
        lambda t: t.efa_interfaces,
        lambda a: a["NetworkInfo"].get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
    ),
    "efa_gbit_s": (lambda t: t.efa_gbit_s, _efa_gbit_s),
    "placement_strategies": (
        lambda t: set(t.placement_strategies or ()),
        lambda a: set(a["PlacementGroupInfo"]["SupportedStrategies"]),
    ),
    "usage_classes": (lambda t: set(t.usage_classes or ()), lambda a: set(a["SupportedUsageClasses"])),
}

CASES = [(name, fact) for name in researched_names() if name not in NOT_IN_THE_DUMP for fact in FACTS]


@cache
def _dump() -> dict[str, dict[str, Any]]:
    path = Path(moto.__file__).parent / "ec2/resources/instance_types.json.gz"
    loaded: dict[str, dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return loaded


@each_case(("name", "fact"), CASES, ids=lambda part: part)
def test_a_fact_agrees_with_the_dump_or_differs_for_a_stated_reason(name, fact):
    ours, theirs = FACTS[fact]
    same = ours(_known(name)) == theirs(_dump()[name])
    if (name, fact) in DIFFERENCES:
        assert not same, "no longer differs: remove it from DIFFERENCES"
    else:
        assert ours(_known(name)) == theirs(_dump()[name])


def test_every_stated_difference_is_about_a_fact_that_is_compared():
    assert set(DIFFERENCES) <= set(CASES)


def test_types_that_the_dump_lacks_are_listed():
    assert {name for name in researched_names() if name not in _dump()} == NOT_IN_THE_DUMP


@pytest.mark.parametrize(
    "name", [name for name in researched_names() if _known(name).efa_gbit_s and name not in NOT_IN_THE_DUMP]
)
def test_the_efa_bandwidth_is_the_bandwidth_that_ec2_gives_for_the_whole_instance(name):
    """The summary counts EFA where the single cards do not: "3200 Gigabit", "4x 100 Gigabit"."""
    summary = re.fullmatch(r"(?:(\d+)x )?(\d+) Gigabit", _dump()[name]["NetworkInfo"]["NetworkPerformance"])
    assert summary is not None
    assert _known(name).efa_gbit_s == int(summary[1] or 1) * int(summary[2])
