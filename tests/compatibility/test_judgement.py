"""Sets of versions that people have run, and what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import yaml

from trainyard.catalog.component_versions import known_versions
from trainyard.catalog.version_conflict import Component
from trainyard.catalog.version_conflicts import components, number_of, version_conflicts
from trainyard.compatibility.judgement import incompatibilities
from trainyard.compatibility.version_set import component_named, given, unknown_note, with_brought
from trainyard.errors import InputError

FILES = ("version_sets.yaml", "version_sets_2.yaml")
SETS = {
    f"{name} of {file}": versions
    for file in FILES
    for name, versions in yaml.load((Path(__file__).parent / file).read_text(), yaml.BaseLoader)["sets"].items()
}


def judged(versions: dict[str, str], *instance_types: str) -> list[tuple[str, str]]:
    """Return severity and name of the cases of a set."""
    chosen = {component_named(name): given(component_named(name), text, "a test") for name, text in versions.items()}
    return [(one.severity, one.case) for one in incompatibilities(with_brought(chosen), instance_types)]


@pytest.mark.parametrize("name", SETS)
def test_a_set_that_somebody_has_run_is_judged_as_it_went(name):
    types = [SETS[name]["instance_type"]] if "instance_type" in SETS[name] else []
    severities = [severity for severity, _ in judged(SETS[name]["versions"], *types)]
    worst = severities[0] if severities else "fine"
    accepted = ("fine", "info") if SETS[name]["expected"] == "fine" else (SETS[name]["expected"],)
    assert worst in accepted, SETS[name]["source"]


def test_every_component_of_a_case_is_described_and_has_no_name_of_another():
    described = components()
    assert set(described) == set(get_args(Component))
    assert {name for conflict in version_conflicts().values() for name in conflict.components} <= set(described)
    names = [name for component, facts in described.items() for name in (component, *facts.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("text", ["2.28.9-1", "v2.28.9-1", "2.28.9+cuda13.0", " 2.28.9 "])
def test_a_version_is_the_same_however_it_is_written(text):
    assert given("nccl", text, "a test").shown == "2.28.9"


@pytest.mark.parametrize("text", ["", "latest", "2.x", "2..1", "--", "1" * 20 + "x" * 3 + "!"])
def test_what_is_no_version_is_an_error(text):
    with pytest.raises(InputError, match="is no version of NCCL"):
        given("nccl", text, "a test")


def test_a_version_in_part_only_may_have_a_case():
    assert judged({"cuda": "12"}, "p6-b200.48xlarge") == [("warning", "cuda-before-blackwell")]
    assert judged({"nccl": "2.29"}) == []
    assert judged({"nvidia-driver": "580", "fabric-manager": "580.126.20"}) == []


def test_what_comes_with_something_gives_way_to_what_is_named():
    assert ("error", "r595-on-grace-blackwell") in judged({"parallelcluster": "3.16.3"}, "p6e-gb200.36xlarge")
    own = {"parallelcluster": "3.16.3", "nvidia-driver": "580.126.20"}
    assert judged(own, "p6e-gb200.36xlarge") == []


def test_a_case_without_instance_types_gives_way_to_the_one_that_says_more():
    assert judged({"nccl": "2.28.3"}) == [("info", "nvrx-with-nccl-2.28")]
    assert judged({"nccl": "2.28.3", "nvrx": "0.4.0"}) == [("error", "nvrx-in-process-restart")]


def test_a_mistyped_component_is_told_what_was_meant():
    with pytest.raises(InputError) as caught:
        component_named("ncll")
    assert caught.value.hint == "did you mean nccl?"


def test_versions_that_nobody_knows_are_noted():
    assert unknown_note("nccl", given("nccl", "2.28.9-1", "")) is None
    assert unknown_note("nccl", given("nccl", "2.28", "")) is None
    newer = unknown_note("nccl", given("nccl", "9.9.9", ""))
    assert newer is not None
    assert "newer than" in newer
    assert str(unknown_note("nccl", given("nccl", "2.28.5", ""))).endswith("beside it are 2.28.3 and 2.28.7")
    assert unknown_note("kernel", given("kernel", "6.8.0-1021-aws", "")) is None


@pytest.mark.parametrize("component", components())
def test_known_versions_are_versions_the_newest_first(component):
    known = known_versions(component)
    assert [given(component, text, "").shown for text in known] == list(known)
    assert list(known) == sorted(known, key=number_of, reverse=True)
