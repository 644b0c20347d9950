"""What is known about one EC2 instance type. None means unknown, never zero or no."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from trainyard.field import Count, Positive
from trainyard.record import Record

Architecture = Literal["x86_64", "arm64"]
InterfaceKind = Literal["interface", "efa", "efa-only"]
"""EC2's own words: an ENA interface, an EFA with ENA, an EFA without ENA and therefore without an address.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html
"""


@dataclass(frozen=True, slots=True)
class NetworkCard:
    """One network card: how many interfaces it holds, and of which kinds."""

    index: int
    max_interfaces: int
    kinds: tuple[InterfaceKind, ...]

    @property
    def takes_efa(self) -> bool:
        """Whether the card has an EFA device to offer."""
        return "efa-only" in self.kinds


class CardRange(Record):
    """Network cards that are alike: from first to last, every step-th."""

    first: Count
    """Index of the first card."""
    last: Count
    """Index of the last card."""
    step: Positive = 1
    """2 for every other card."""
    max_interfaces: Positive
    """Interfaces that one card holds; device indexes run below this number."""
    baseline_gbit_s: float | None = None
    """BaselineBandwidthInGbps. On some types it is the ENA figure of the card, on others the EFA figure."""
    peak_gbit_s: float | None = None
    """PeakBandwidthInGbps, which the card reaches for minutes at a time."""
    kinds: tuple[InterfaceKind, ...]
    """Interfaces that the card accepts."""

    def cards(self) -> Iterator[NetworkCard]:
        """Return the cards one by one."""
        for index in range(self.first, self.last + 1, self.step):
            yield NetworkCard(index, self.max_interfaces, self.kinds)


class Accelerators(Record):
    """The accelerators of an instance, which are all alike."""

    vendor: Literal["nvidia", "aws"]
    """Who makes them: nvidia for GPUs, aws for Trainium."""
    model: str
    """The vendor's name of the chip."""
    count: Positive
    """How many there are."""


class Disks(Record):
    """Alike local NVMe disks of an instance."""

    count: Positive
    """How many there are."""
    size_gb: Positive
    """Size of one, in 10^9 bytes."""


class InstanceType(Record):
    """The facts of one instance type, merged from their sources."""

    name: str
    """For example p5.48xlarge."""
    vcpus: Positive | None = None
    """Default vCPUs."""
    sockets: Positive | None = None
    """Processors as the operating system sees them, which EC2 does not tell; the cores are spread evenly."""
    cores: Positive | None = None
    """Default physical cores."""
    threads_per_core: Positive | None = None
    """Default threads of a core."""
    memory_mib: Positive | None = None
    """Memory of the instance."""
    architecture: Architecture | None = None
    """Architecture of the processor."""
    bare_metal: bool | None = None
    """Whether there is no hypervisor."""
    accelerators: Accelerators | None = None
    """GPUs or Trainium chips. A null that is written says that there are none; leaving it out says unknown."""
    accelerator_memory_mib: Positive | None = None
    """Memory of one accelerator that programs can use."""
    nvlink_gb_s_bidirectional: Positive | None = None
    """NVLink bandwidth of one GPU, both directions added up, as NVIDIA and AWS print it; half of it flows each way."""
    neuronlink_generation: Positive | None = None
    """Generation of the links between Trainium chips."""
    ultraserver_instances: tuple[Positive, ...] | None = None
    """How many of these instances the UltraServers have that this type is sold in."""
    nvme: tuple[Disks, ...] | None = None
    """Local NVMe disks; an empty list says that there are none."""
    nvme_total_gb: Positive | None = None
    """All local NVMe together, for a type whose single disks are unknown."""
    network_performance: str | None = None
    """NetworkPerformance in EC2's words. For some types it is the ENA figure, for others the EFA figure."""
    network_cards: tuple[CardRange, ...] | None = None
    """The network cards, in the order of their indexes."""
    ena_gbit_s: Positive | None = None
    """IP bandwidth of all cards together, where AWS states it apart from EFA."""
    efa_interfaces: Count | None = None
    """EFA interfaces at most, one a card; 0 says that the type has no EFA."""
    efa_cards: tuple[Count, ...] | None = None
    """Cards that AWS recommends for EFA, where using all of them gains nothing."""
    efa_generation: Positive | None = None
    """EFA generation: EFAv1 to EFAv4."""
    efa_gbit_s: Positive | None = None
    """EFA bandwidth of the instance, per direction."""
    efa_gbit_s_per_card: Positive | None = None
    """EFA bandwidth of one card, where it is not the bandwidth that DescribeInstanceTypes gives for the card."""
    rdma_read: bool | None = None
    """Whether its EFA reads remote memory; NCCL's GPUDirect path needs it."""
    rdma_write: bool | None = None
    """Whether its EFA writes remote memory."""
    gpudirect_rdma: bool | None = None
    """Whether its EFA reaches the memory of the GPUs without passing through the memory of the host."""
    placement_strategies: tuple[Literal["cluster", "partition", "spread"], ...] | None = None
    """Strategies of placement groups that accept the type."""
    usage_classes: tuple[Literal["on-demand", "spot", "capacity-block"], ...] | None = None
    """How it can be bought."""

    @property
    def family(self) -> str:
        """The text before the dot."""
        return self.name.partition(".")[0]

    @property
    def cards(self) -> tuple[NetworkCard, ...] | None:
        """Every network card, by index; None where the cards are unknown."""
        if self.network_cards is None:
            return None
        cards = [card for alike in self.network_cards for card in alike.cards()]
        return tuple(sorted(cards, key=lambda card: card.index))

    @property
    def network_card_count(self) -> int | None:
        """How many network cards there are."""
        return None if self.cards is None else len(self.cards)

    @property
    def multi_card(self) -> bool | None:
        """Whether there is more than one card; such a type gets no public address of its own."""
        return None if self.network_card_count is None else self.network_card_count > 1

    @property
    def has_efa(self) -> bool | None:
        """Whether the type has EFA."""
        return None if self.efa_interfaces is None else self.efa_interfaces > 0

    @property
    def gpu_count(self) -> int | None:
        """How many NVIDIA GPUs there are; 0 for Trainium."""
        return self._count_of("nvidia")

    @property
    def neuron_count(self) -> int | None:
        """How many Trainium chips there are; 0 for GPUs."""
        return self._count_of("aws")

    @property
    def neuron(self) -> bool | None:
        """Whether its accelerators are Trainium chips, which need the Neuron SDK and not CUDA."""
        return None if self.neuron_count is None else self.neuron_count > 0

    def _count_of(self, vendor: str) -> int | None:
        if "accelerators" not in self.written:
            return None
        return self.accelerators.count if self.accelerators and self.accelerators.vendor == vendor else 0
