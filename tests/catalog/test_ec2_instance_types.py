"""What EC2 says of the types that nobody researched: as tools/ec2_instance_types.py writes it, and of use."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

from trainyard.catalog import instances
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.interfaces import LAYOUTS, interface_plan, misfits

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "ec2_instance_types.py"))
DESCRIBED = sorted(set(instances.names()) - set(instances.researched_names()))


def known(name: str) -> InstanceType:
    facts = instances.find(name)
    assert facts is not None, name
    return facts


def test_the_file_is_what_the_tool_makes_of_the_dump_in_moto():
    assert instances.DESCRIBED.read_text(encoding="utf-8") == TOOL["ec2_instance_types"]()


def test_every_type_has_what_rules_ask_for_first_and_a_source_for_each_fact():
    for name in DESCRIBED:
        facts = known(name)
        assert facts.name == name
        assert all((facts.vcpus, facts.memory_mib, facts.cards, facts.usage_classes)), name
        assert instances.sources_of(name).keys() == facts.written - {"name"}, name


def test_processors_add_up():
    wrong = [
        facts.name
        for facts in map(known, DESCRIBED)
        if facts.cores and facts.threads_per_core and facts.cores * facts.threads_per_core != facts.vcpus
    ]
    assert wrong == []


def test_efa_of_a_type_is_on_as_many_cards_as_take_it():
    wrong = [
        facts.name
        for facts in map(known, DESCRIBED)
        if facts.efa_interfaces not in (None, sum(card.takes_efa for card in facts.cards or ()))
    ]
    assert wrong == []


def test_ec2_would_accept_the_interfaces_in_every_layout():
    for facts in (facts for facts in map(known, DESCRIBED) if facts.has_efa is not None):
        for layout in LAYOUTS:
            for efa in (True, False) if facts.has_efa else (False,):
                assert misfits(facts, interface_plan(facts, layout, efa=efa).interfaces) == (), (facts.name, layout)


def test_accelerators_are_known_but_for_those_that_are_neither_nvidia_s_nor_aws_s():
    unknown = Counter(facts.family for facts in map(known, DESCRIBED) if facts.gpu_count is None)
    assert unknown.keys() == {"dl2q", "f2", "vt1", "trn2u"}
    assert (known("g5.2xlarge").gpu_count, known("inf2.24xlarge").neuron_count, known("m7g.large").gpu_count) == (
        1,
        6,
        0,
    )


def test_only_the_line_of_a_family_is_read():
    instances._described_family.cache_clear()
    assert known("m7g.large").architecture == "arm64"
    assert known("m7g.8xlarge").vcpus == 32
    assert instances._described_family.cache_info().misses == 1


def test_a_family_is_not_taken_for_one_of_which_its_name_is_a_part():
    assert instances.find("sources.large") is None
    assert instances.find("5.large") is None
    assert {name.partition(".")[0] for name in instances._described_family("m7g").types} == {"m7g"}
