"""Plans the network interfaces of an instance type in each layout that a platform may need, and says why.

Every tool lays them out differently (EC2's guide, ParallelCluster, AWS's Batch templates, eksctl).
This is the one place where trainyard decides, from the cards in the catalog.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from trainyard.catalog.instance_type import InstanceType, InterfaceKind, NetworkCard
from trainyard.errors import TrainyardError

InterfaceLayout = Literal["parallelcluster", "awsvpc", "vpc-cni"]
"""What decides where interfaces go: ParallelCluster itself, containers of ECS in network mode awsvpc, which bring an
interface of their own, or pods, whose addresses the VPC CNI takes from interfaces on card 0."""

EC2_GUIDE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
# The function add_network_interfaces.
PARALLELCLUSTER = "https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/templates/queues_stack.py"
BATCH_NETWORK_MODE = "https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html"
BATCH_TEMPLATES = "https://github.com/aws-samples/awsome-distributed-training/tree/main/1.architectures/3.aws-batch"
ATTACH_INTERFACE = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachNetworkInterface.html"
EKSCTL = "https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/network_interfaces.go"
EKS_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html"
# "The max number of ENIs is calculated only for the primary network card", less one for an EFA-only interface on it.
EKS_POD_LIMIT = "https://github.com/aws/karpenter-provider-aws/blob/main/designs/efa-for-static-capacity.md"


class Interface(NamedTuple):
    """One network interface of a launch template."""

    card_index: int
    device_index: int
    kind: InterfaceKind


class InterfacePlan(NamedTuple):
    """The interfaces to launch with, sentences that say why, and where that stands."""

    interfaces: tuple[Interface, ...]
    why: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def efa_count(self) -> int:
        """How many EFA devices the instance comes up with."""
        return sum(interface.kind != "interface" for interface in self.interfaces)


def interface_plan(instance_type: InstanceType, layout: InterfaceLayout, *, efa: bool) -> InterfacePlan:
    """Return the interfaces to launch with. Raises TrainyardError where the cards are unknown or EFA is missing."""
    cards = _known_cards(instance_type, efa=efa)
    return LAYOUTS[layout](instance_type, cards, efa)


def eksctl_interfaces(instance_type: InstanceType) -> tuple[Interface, ...]:
    """Return what eksctl's own ``efaEnabled: true`` would launch with: one EFA with ENA on every card."""
    cards = _known_cards(instance_type, efa=True)
    return tuple(Interface(card.index, min(card.index, 1), "efa") for card in cards)


def misfits(instance_type: InstanceType, interfaces: Sequence[Interface]) -> tuple[str, ...]:
    """Return the reasons for which EC2 would refuse to launch the instance type with these interfaces."""
    cards = {card.index: card for card in _known_cards(instance_type, efa=False)}
    slots = Counter((interface.card_index, interface.device_index) for interface in interfaces)
    primary = [interface.kind for interface in interfaces if (interface.card_index, interface.device_index) == (0, 0)]
    reasons = [
        f"card {card}, device {device} is taken {count} times" for (card, device), count in slots.items() if count > 1
    ]
    if primary[:1] not in (["interface"], ["efa"]):
        reasons.append("card 0, device 0 carries no interface with an address")
    for interface in interfaces:
        reasons.extend(_misfits_on_card(cards.get(interface.card_index), interface))
    efa_cards = Counter(interface.card_index for interface in interfaces if interface.kind != "interface")
    return (
        *reasons,
        *(f"card {card} carries {count} EFAs, one is possible" for card, count in efa_cards.items() if count > 1),
    )


def _misfits_on_card(card: NetworkCard | None, interface: Interface) -> list[str]:
    if card is None:
        return [f"there is no card {interface.card_index}"]
    reasons = []
    if interface.device_index >= card.max_interfaces:
        # EC2 words it so: https://github.com/eksctl-io/eksctl/issues/7520
        reasons.append(f"card {card.index} holds {card.max_interfaces}, so it has no device {interface.device_index}")
    if interface.kind not in card.kinds:
        reasons.append(f"card {card.index} takes {' or '.join(card.kinds)}, not {interface.kind}")
    return reasons


def _known_cards(instance_type: InstanceType, *, efa: bool) -> tuple[NetworkCard, ...]:
    where = f"catalog/instances/{instance_type.family}.yaml ({instance_type.name})"
    if instance_type.cards is None or instance_type.efa_interfaces is None:
        problem = f"the network cards of {instance_type.name} are unknown"
        hint = "add network_cards and efa_interfaces from `aws ec2 describe-instance-types`"
        raise TrainyardError(problem, where=where, hint=hint)
    if efa and not instance_type.has_efa:
        problem = f"{instance_type.name} has no EFA"
        hint = "switch EFA off, or choose a type with EFA: `trainyard instances` lists them"
        raise TrainyardError(problem, where=where, hint=hint)
    return instance_type.cards


def _parallelcluster(instance_type: InstanceType, cards: tuple[NetworkCard, ...], efa: bool) -> InterfacePlan:  # noqa: FBT001  one signature for the table below
    """Return what ParallelCluster 3.16.1 itself writes; trainyard cannot choose here, only foresee."""
    first, *others = cards
    # ParallelCluster infers it from these two numbers and not from the card.
    efa_on_first = efa and instance_type.efa_interfaces == len(cards)
    alone = efa_on_first and first.max_interfaces < 2
    interfaces = [Interface(0, 0, "efa" if alone else "interface")]
    if efa_on_first and not alone:
        interfaces.append(Interface(0, 1, "efa-only"))
    for card in others:
        if not efa and "interface" not in card.kinds:
            continue  # it takes nothing but EFA, as odd cards of GB200 do
        device_index = 0 if card.max_interfaces == 1 else 1
        interfaces.append(Interface(card.index, device_index, "efa-only" if efa else "interface"))
    why = [
        "ParallelCluster 3.16.1 lays the interfaces out itself (add_network_interfaces).",
        _why_first(cards, interfaces),
    ]
    if len(cards) > 1:
        why.append(_why_others(efa=efa, devices="device 1, or device 0 where the card holds a single interface"))
    return InterfacePlan(tuple(interfaces), tuple(why), (PARALLELCLUSTER,))


def _awsvpc(instance_type: InstanceType, cards: tuple[NetworkCard, ...], efa: bool) -> InterfacePlan:  # noqa: FBT001  one signature for the table below
    """Return what the launch template of a compute environment for multi-node parallel jobs carries."""
    first = cards[0]
    combined = efa and first.takes_efa
    interfaces = [Interface(0, 0, "efa" if combined else "interface"), *_efa_on_others(instance_type, cards, efa=efa)]
    why = [_why_first(cards, interfaces)]
    if combined:
        why.append(
            "Multi-node parallel jobs run in network mode awsvpc: every container brings an interface of its own, "
            "attached to card 0. One combined interface leaves room for it, an ENA interface beside an EFA-only one "
            "may not. AWS's Batch templates do the same."
        )
        if first.max_interfaces < 2:
            why.append(
                "Card 0 holds one interface and has no room for that of the container: "
                "multi-node parallel jobs may not start."
            )
    if len(interfaces) > 1:
        why.append(_why_others(efa=efa, devices="device 0"))
    why.extend(_why_fewer(instance_type, cards, efa=efa))
    return InterfacePlan(
        tuple(interfaces), tuple(why), (EC2_GUIDE, BATCH_NETWORK_MODE, ATTACH_INTERFACE, BATCH_TEMPLATES)
    )


def _vpc_cni(instance_type: InstanceType, cards: tuple[NetworkCard, ...], efa: bool) -> InterfacePlan:  # noqa: FBT001  one signature for the table below
    """Return what the launch template of a node group carries, which is seldom what eksctl makes by itself."""
    first = cards[0]
    beside = efa and first.takes_efa and first.max_interfaces > 1
    alone = efa and first.takes_efa and not beside
    interfaces = [Interface(0, 0, "efa" if alone else "interface")]
    if beside:
        interfaces.append(Interface(0, 1, "efa-only"))
    interfaces += _efa_on_others(instance_type, cards, efa=efa)
    why = [_why_first(cards, interfaces)]
    if any(interface.card_index for interface in interfaces):
        why.append(_why_others(efa=efa, devices="device 0"))
    why.extend(_why_fewer(instance_type, cards, efa=efa))
    if beside:
        why.append(_why_pods_have_less_room(first))
    if efa:
        why.append(_why_not_eksctl(instance_type, interfaces))
    return InterfacePlan(tuple(interfaces), tuple(why), (EC2_GUIDE, EKS_GUIDE, EKS_POD_LIMIT, EKSCTL))


LAYOUTS: Mapping[InterfaceLayout, Callable[[InstanceType, tuple[NetworkCard, ...], bool], InterfacePlan]] = {
    "parallelcluster": _parallelcluster,
    "awsvpc": _awsvpc,
    "vpc-cni": _vpc_cni,
}


def _efa_on_others(instance_type: InstanceType, cards: tuple[NetworkCard, ...], *, efa: bool) -> list[Interface]:
    if not efa:
        return []
    chosen = instance_type.efa_cards
    return [
        Interface(card.index, 0, "efa-only")
        for card in cards[1:]
        if card.takes_efa and (chosen is None or card.index in chosen)
    ]


def _why_first(cards: tuple[NetworkCard, ...], interfaces: Sequence[Interface]) -> str:
    on_first = [interface.kind for interface in interfaces if interface.card_index == 0]
    if on_first == ["interface", "efa-only"]:
        return "Card 0 supports EFA: it carries the address of the instance on device 0 and its EFA apart on device 1."
    if on_first == ["efa"]:
        return "Card 0 carries the address of the instance and its EFA in one combined interface."
    if not cards[0].takes_efa:
        return "Card 0 supports no EFA: it carries the address of the instance and nothing else."
    return "Card 0 carries the address of the instance."


def _why_others(*, efa: bool, devices: str) -> str:
    if efa:
        return f"Other cards carry one EFA-only interface each, on {devices}: full bandwidth and no addresses."
    return f"Other cards carry one ENA interface each, on {devices}."


def _why_fewer(instance_type: InstanceType, cards: tuple[NetworkCard, ...], *, efa: bool) -> list[str]:
    if not efa:
        return ["Without EFA one interface is enough."] if len(cards) > 1 else []
    if instance_type.efa_cards is None:
        return []
    cards_for_efa = _listed(instance_type.efa_cards)
    return [f"EC2's guide recommends EFA on cards {cards_for_efa} alone: more of them share the same bandwidth."]


def _why_pods_have_less_room(first: NetworkCard) -> str:
    places = first.max_interfaces - 2
    room = f"leaves the VPC CNI {places} more" if places else "leaves the VPC CNI none: it needs prefix delegation"
    return f"Pod addresses come from interfaces on card 0, which holds {first.max_interfaces}; this layout {room}."


def _why_not_eksctl(instance_type: InstanceType, planned: Sequence[Interface]) -> str:
    own = eksctl_interfaces(instance_type)
    statement = f"eksctl's efaEnabled would put an interface of kind efa on every card, {len(own)} in all"
    if refused := misfits(instance_type, own):
        return f"{statement}, and EC2 refuses that: {refused[0]}. Give the node group a launch template of its own."
    addresses = sum(interface.kind != "efa-only" for interface in planned)
    return f"{statement}; that launches too. Addresses for each node: {len(own)} that way, {addresses} this way."


def _listed(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last
