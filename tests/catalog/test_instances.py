"""The catalog of instance types: complete, with sources, and read family by family."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.each_case import each_case
from trainyard.catalog import catalog_file, instances
from trainyard.catalog.catalog_file import CatalogFile
from trainyard.errors import TrainyardError
from trainyard.record_schema import compiled_text

DATA_FILES = sorted(catalog_file.FOLDER.rglob("*.yaml"))

# Every type that a reference architecture, a benchmark reference or a head node may name.
EXPECTED = {
    *("p3dn.24xlarge", "p4d.24xlarge", "p4de.24xlarge", "p5.4xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge"),
    *("p6-b200.48xlarge", "p6-b300.48xlarge", "p6e-gb200.36xlarge"),
    *("trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge", "trn2.3xlarge", "trn2.48xlarge"),
    *(
        "g4dn.8xlarge",
        "g4dn.12xlarge",
        "g4dn.metal",
        "g5.xlarge",
        "g5.8xlarge",
        "g5.12xlarge",
        "g5.24xlarge",
        "g5.48xlarge",
    ),
    *("g6.8xlarge", "g6.12xlarge", "g6.24xlarge", "g6.48xlarge"),
    *("g6e.8xlarge", "g6e.12xlarge", "g6e.24xlarge", "g6e.48xlarge", "g7e.48xlarge"),
    *("hpc6a.48xlarge", "hpc6id.32xlarge", "hpc7a.96xlarge", "hpc7g.16xlarge", "hpc8a.96xlarge"),
    *("c5n.18xlarge", "c5.2xlarge", "m5.large", "m5.2xlarge", "m5.8xlarge", "t3.medium"),
}


def _known(name: str) -> Any:
    instance_type = instances.find(name)
    assert instance_type is not None
    return instance_type


def test_every_expected_type_is_in_the_catalog_and_no_other():
    assert set(instances.researched_names()) == EXPECTED


def test_the_types_that_are_expected_are_some_of_all():
    assert set(instances.names()) > EXPECTED
    assert len(instances.names()) > 1_300


@each_case("name", sorted(EXPECTED))
def test_a_type_is_found_under_its_name(name):
    assert _known(name).name == name


@each_case("name", sorted(EXPECTED))
def test_every_fact_of_a_type_has_a_source_with_address_and_date(name):
    sources = instances.sources_of(name)
    assert sources.keys() == _known(name).written - {"name"}
    for source in sources.values():
        assert source.url.startswith("https://")
        assert date(2026, 1, 1) <= date.fromisoformat(source.read) <= date(2100, 1, 1)


def test_a_type_stands_in_the_file_of_its_family():
    strays = [
        (family, name)
        for family in instances.families()
        for name in instances._family(family).types
        if name.partition(".")[0] != family
    ]
    assert strays == []


@pytest.mark.parametrize(
    "name", ["p5.49xlarge", "p7.48xlarge", "ml.p5.48xlarge", "P5.48xlarge", "p5", "", ".", "p5.", ".p5"]
)
def test_an_unknown_type_is_none_without_sources(name):
    assert instances.find(name) is None
    assert instances.sources_of(name) == {}


HOSTILE = [
    "../../etc/passwd.x",
    "/etc/passwd.x",
    "..",
    "../instances/p5.48xlarge",
    "p5.48xlarge\n",
    "p5\0.48xlarge",
    "~.x",
    "*.x",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_reads_no_file(name):
    instances.families()
    before = instances._family.cache_info()
    assert instances.find(name) is None
    assert instances._family.cache_info() == before


def test_a_well_formed_name_of_no_family_reads_no_file():
    before = instances._family.cache_info()
    assert instances.find("fsx-lustre.yaml") is None
    assert instances._family.cache_info() == before


def test_only_the_family_asked_for_is_read():
    instances._family.cache_clear()
    instances.find("p5.48xlarge")
    instances.find("p5.4xlarge")
    instances.sources_of("p5.48xlarge")
    read = instances._family.cache_info()
    assert (read.misses, read.currsize) == (1, 1)


def test_the_catalog_is_read_without_importing_pydantic():
    read = "from trainyard.catalog.instances import find; find('p5.48xlarge')"
    script = f"import sys; {read}; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_compiled_validator_is_up_to_date():
    assert catalog_file.COMPILED.read_text() == compiled_text(CatalogFile)


@each_case("path", DATA_FILES, ids=lambda path: path.name)
def test_no_key_stands_twice_in_a_data_file(path: Path):
    repeated = [
        key.value
        for node in _nodes(yaml.compose(path.read_text()))
        if isinstance(node, yaml.MappingNode)
        for index, (key, _) in enumerate(node.value)
        if key.value in [earlier.value for earlier, _ in node.value[:index]]
    ]
    assert repeated == []


def _nodes(node: yaml.Node | None) -> Iterator[yaml.Node]:
    assert node is not None
    yield node
    for child in node.value if not isinstance(node, yaml.ScalarNode) else ():
        for part in child if isinstance(child, tuple) else (child,):
            yield from _nodes(part)


@each_case("path", DATA_FILES, ids=lambda path: path.name)
def test_every_source_of_a_data_file_is_used(path: Path):
    text = path.read_text()
    described, facts = re.split(r"(?m)^(?!sources:)(?=[a-z_]+:)", text, maxsplit=1)
    unused = [source for source in yaml.safe_load(described)["sources"] if f"{source}:" not in facts]
    assert unused == []


def _family(**facts_by_source: dict[str, Any]) -> dict[str, Any]:
    source = {"what": "a page", "url": "https://example.org/", "read": "2026-11-20"}
    return {"sources": {"page": source, "list": source}, "types": {"x1.large": facts_by_source}}


def test_a_fact_under_two_sources_is_an_error_that_names_both():
    with pytest.raises(TrainyardError) as caught:
        instances.family_in(_family(page={"vcpus": 2}, list={"vcpus": 4}), "x1.yaml")
    assert caught.value.problem == "the fact 'vcpus' stands under two sources, 'page' and 'list'"
    assert caught.value.where == "x1.yaml (x1.large)"


def test_a_source_that_is_not_described_is_an_error():
    with pytest.raises(TrainyardError, match="the source 'hearsay' is not described"):
        instances.family_in(_family(hearsay={"vcpus": 2}), "x1.yaml")


@pytest.mark.parametrize("facts", [{"vcpu": 2}, {"vcpus": "2"}, {"vcpus": 0}, {"efa_gbit_s": -1}])
def test_a_misspelt_fact_or_an_impossible_value_is_refused(facts):
    with pytest.raises(ValueError, match=r"x1\.large"):
        instances.family_in(_family(page=facts), "x1.yaml")


@pytest.mark.parametrize(
    ("key", "value"), [("url", "http://example.org/"), ("read", "20 November"), ("read", date(2026, 11, 20))]
)
def test_a_source_needs_https_and_a_quoted_date(key, value):
    data = _family(page={"vcpus": 2})
    data["sources"]["page"] = {**data["sources"]["page"], key: value}
    with pytest.raises(ValueError, match=f"sources.page.{key}"):
        instances.family_in(data, "x1.yaml")


def test_what_is_unknown_is_none_and_not_zero():
    bare = instances.family_in(_family(page={"vcpus": 2}), "x1.yaml").types["x1.large"]
    assert (bare.cores, bare.nvme, bare.accelerators, bare.efa_gbit_s) == (None, None, None, None)
    assert (bare.gpu_count, bare.neuron_count, bare.neuron, bare.has_efa) == (None, None, None, None)
    assert (bare.cards, bare.network_card_count, bare.multi_card) == (None, None, None)


def test_a_processor_type_is_known_to_have_no_accelerators():
    m5 = _known("m5.8xlarge")
    assert (m5.accelerators, m5.gpu_count, m5.neuron_count, m5.neuron, m5.has_efa) == (None, 0, 0, False, False)


def test_a_gpu_type_counts_gpus_and_cards():
    p5 = _known("p5.48xlarge")
    assert (p5.gpu_count, p5.neuron_count, p5.neuron) == (8, 0, False)
    assert (p5.network_card_count, p5.multi_card, p5.has_efa) == (32, True, True)


def test_a_trainium_type_counts_no_gpus():
    trn1 = _known("trn1.32xlarge")
    assert (trn1.gpu_count, trn1.neuron_count, trn1.neuron) == (0, 16, True)


def test_a_type_with_one_card_is_not_multi_card():
    assert _known("g5.48xlarge").multi_card is False


def test_every_card_index_of_gb200_stands_once():
    assert [card.index for card in _known("p6e-gb200.36xlarge").cards] == list(range(17))


def test_what_nobody_states_about_gb200_is_unknown():
    gb200 = _known("p6e-gb200.36xlarge")
    assert (gb200.cores, gb200.nvme, gb200.usage_classes, gb200.network_performance) == (None, None, None, None)


# Wrong in widely copied documents; the right figures with their sources are in the family files.
@pytest.mark.parametrize(
    ("name", "fact", "right"),
    [
        ("p4d.24xlarge", "efa_gbit_s", 400),
        ("p4d.24xlarge", "efa_interfaces", 4),
        ("p5.48xlarge", "efa_interfaces", 32),
        ("p5.48xlarge", "nvlink_gb_s_bidirectional", 900),
        ("p5en.48xlarge", "nvlink_gb_s_bidirectional", 900),
        ("p6-b200.48xlarge", "nvlink_gb_s_bidirectional", 1800),
        ("p6-b200.48xlarge", "efa_gbit_s", 3200),
        ("p6-b200.48xlarge", "efa_gbit_s_per_card", 400),
        ("p6-b200.48xlarge", "ena_gbit_s", 1600),
        ("g5.12xlarge", "efa_interfaces", 1),
        ("g5.xlarge", "efa_interfaces", 0),
    ],
)
def test_a_commonly_mistaken_figure_is_right(name, fact, right):
    assert getattr(_known(name), fact) == right


GPUDIRECT = {"p4d": True, "p4de": True, "p5": True, "p5e": True, "p5en": True, "p6-b200": True, "p6-b300": True}
NO_GPUDIRECT = dict.fromkeys(("p3dn", "g4dn", "g5", "g6", "g6e"), False)


@each_case("name", sorted(EXPECTED))
def test_a_family_has_gpudirect_rdma_or_not_or_nobody_says(name):
    known = GPUDIRECT | NO_GPUDIRECT
    assert _known(name).gpudirect_rdma is known.get(_known(name).family)


@pytest.mark.parametrize("name", sorted(name for name in EXPECTED if _known(name).gpudirect_rdma))
def test_gpudirect_rdma_stands_only_where_the_efa_reads_remote_memory(name):
    assert _known(name).rdma_read


def test_p5en_has_h200_of_141_gib():
    p5en = _known("p5en.48xlarge")
    assert (p5en.accelerators.model, p5en.accelerator_memory_mib) == ("H200", 141 * 1024)


@each_case("name", sorted(EXPECTED))
def test_efa_facts_stand_only_where_there_is_efa(name):
    found = _known(name)
    stated = {found.efa_generation, found.efa_gbit_s, found.rdma_read} - {None}
    assert bool(stated) == found.has_efa


@pytest.mark.parametrize("name", sorted(name for name in EXPECTED if _known(name).efa_gbit_s_per_card))
def test_the_efa_bandwidth_is_that_of_the_cards_that_are_to_carry_it(name):
    found = _known(name)
    cards = found.efa_cards or [card.index for card in found.cards if card.takes_efa]
    assert found.efa_gbit_s == len(cards) * found.efa_gbit_s_per_card


@each_case("name", sorted(EXPECTED))
def test_as_many_cards_take_efa_as_there_are_efa_interfaces(name):
    found = _known(name)
    assert sum(card.takes_efa for card in found.cards) == found.efa_interfaces
