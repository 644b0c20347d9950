"""Records what ParallelCluster's own ``add_network_interfaces`` answers for every instance type of the catalog.

Run by the Python of an environment with aws-parallelcluster 3.16.1, with Node on PATH because its imports start jsii:

    PATH=…/node/bin:$PATH …/bin/python tests/catalog/record_parallelcluster_interfaces.py

It overwrites golden/parallelcluster-3.16.1-interfaces.json. Only what the function is given from outside is replaced:
the configuration (small objects with the attributes it reads) and the CDK class that it fills.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import yaml

HERE = Path(__file__).parent
INSTANCES = HERE.parents[1] / "src/trainyard/catalog/instances"
GOLDEN = HERE / "golden/parallelcluster-3.16.1-interfaces.json"

PROVENANCE = (
    "aws-parallelcluster {version}, pcluster.templates.queues_stack.add_network_interfaces, "
    "called by tests/catalog/record_parallelcluster_interfaces.py with the cards of src/trainyard/catalog/instances; "
    "each interface is [card, device, type]"
)


def main() -> None:
    """Ask about every type and write the golden file."""
    queues_stack = import_module("pcluster.templates.queues_stack")
    stand_in = SimpleNamespace(CfnLaunchTemplate=SimpleNamespace(NetworkInterfaceProperty=SimpleNamespace))
    vars(queues_stack)["ec2"] = stand_in
    facts = {name: facts for path in sorted(INSTANCES.glob("*.yaml")) for name, facts in facts_in(path).items()}
    recorded = {
        name: {key: answer(queues_stack, name, known, efa=efa) for key, efa in asked(known)}
        for name, known in facts.items()
    }
    lines = [f"    {json.dumps(name)}: {json.dumps(recorded[name])}" for name in sorted(recorded)]
    provenance = PROVENANCE.format(version=version("aws-parallelcluster"))
    text = f'{{\n  "provenance": {json.dumps(provenance)},\n  "interfaces": {{\n' + ",\n".join(lines) + "\n  }\n}\n"
    GOLDEN.write_text(text)


def facts_in(path: Path) -> dict[str, dict[str, Any]]:
    """Return what the function needs of every type in a family's file."""
    types = yaml.safe_load(path.read_text())["types"]
    return {
        name: {fact: value for facts in by_source.values() for fact, value in facts.items()}
        for name, by_source in types.items()
    }


def asked(facts: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return the questions: with EFA where the type has it, and without."""
    return [("efa", True), ("no_efa", False)] if facts["efa_interfaces"] else [("no_efa", False)]


def answer(queues_stack: ModuleType, name: str, facts: dict[str, Any], *, efa: bool) -> list[list[Any]]:
    """Return card, device and type of every interface that the real function makes."""
    cards = [
        card(index, alike["max_interfaces"])
        for alike in facts["network_cards"]
        for index in range(alike["first"], alike["last"] + 1, alike.get("step", 1))
    ]
    compute_resource = SimpleNamespace(
        instance_types=[name],
        efa=SimpleNamespace(enabled=efa),
        network_cards_list=sorted(cards, key=lambda card: card.network_card_index()),
        max_network_cards=len(cards),
        max_efa_interfaces=facts["efa_interfaces"],
    )
    queue = SimpleNamespace(networking=SimpleNamespace(assign_public_ip=None, subnet_ids=["subnet-1"]))
    interfaces = queues_stack.add_network_interfaces(queue, compute_resource, ["sg-1"])
    # No type is EC2's way to say `interface`.
    return [[made.network_card_index, made.device_index, made.interface_type or "interface"] for made in interfaces]


def card(index: int, max_interfaces: int) -> SimpleNamespace:
    """Return a card with the two methods of ParallelCluster's NetworkCardInfo that the function calls."""
    return SimpleNamespace(network_card_index=lambda: index, maximum_network_interfaces=lambda: max_interfaces)


if __name__ == "__main__":
    main()
