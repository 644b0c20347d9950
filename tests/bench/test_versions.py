"""Versions that do not go together."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from trainyard.bench.case import Case
from trainyard.bench.checks.versions import version, version_findings, within
from trainyard.bench.machine import FOLDER, MachineType, machine
from trainyard.bench.result import Run

TABLE: dict[str, Any] = yaml.load((FOLDER / "versions.yaml").read_bytes(), Loader=yaml.BaseLoader)
RULES = [pytest.param(rule, id=rule["id"]) for rule in TABLE["rules"]]


def messages(
    versions: dict[str, str], type_: str | None = None, environment: dict[str, str] | None = None
) -> list[str]:
    known = machine(type_) if type_ else None
    case = Case(Run(versions=versions, environment=environment or {}), known, None, None, None)
    return [version_finding.message for version_finding in version_findings(case)]


def just_inside(bound: str) -> str:
    """Return a version that keeps to a bound."""
    limit = bound.lstrip("<>=")
    return limit if bound.startswith(">=") else "0.1"


def just_outside(bound: str) -> str:
    return "0.1" if bound.startswith(">=") else bound.lstrip("<>=")


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_finds_what_it_names_and_no_more(rule: dict[str, Any]):
    type_ = rule.get("machines", [None])[0]
    known = machine(type_) if type_ else None
    if "accelerators" in rule:
        known = MachineType("8 GPUs", rule["accelerators"][0], 8, None, None, {})
    bad = {name: just_inside(bound) for name, bound in rule["versions"].items()}
    assert rule["why"] in " ".join(
        version_finding.message
        for version_finding in version_findings(Case(Run(versions=bad), known, None, None, None))
    )
    for name, bound in rule["versions"].items():
        good = {**bad, name: just_outside(bound)}
        told = " ".join(
            version_finding.message
            for version_finding in version_findings(Case(Run(versions=good), known, None, None, None))
        )
        assert rule["why"] not in told
        without = {other: value for other, value in bad.items() if other != name}
        told = " ".join(
            version_finding.message
            for version_finding in version_findings(Case(Run(versions=without), known, None, None, None))
        )
        assert rule["why"] not in told


@pytest.mark.parametrize(
    "rule", [*RULES, *(pytest.param(TABLE[key], id=key) for key in ("brought_by_installer", "tested_with"))]
)
def test_each_has_its_source_and_the_day_it_was_read(rule: dict[str, Any]):
    assert rule["source"].startswith("https://")
    assert re.fullmatch(r"2026-\d\d-\d\d", rule["read"])


@pytest.mark.parametrize(
    "versions",
    [
        {"cuda": "12.8", "efa-installer": "1.43.2", "plugin": "1.16.3", "nccl": "2.27.7", "nccl-tests": "2.16.9"},
        {"cuda": "13.1", "cuda-driver": "13.1", "plugin": "1.21.1", "nccl": "2.31.2", "libfabric": "2.6"},
        {},
    ],
)
def test_sets_that_were_tested_together_are_clean(versions: dict[str, str]):
    assert messages(versions, "p5.48xlarge") == []


def test_a_rule_names_the_versions_and_the_machine():
    (message,) = messages({"nccl": "2.18.3"}, "p5.48xlarge")
    assert message == "nccl 2.18.3 on p5.48xlarge: p5 needs NCCL 2.18, and 2.18.5 is recommended"


def test_a_rule_of_a_machine_leaves_others_alone():
    assert messages({"nccl": "2.18.3"}, "p4d.24xlarge") == []


def test_a_variable_that_makes_it_harmless_silences_the_rule():
    versions = {"nccl": "2.20.5", "efa-installer": "1.26.0"}
    assert len(messages(versions)) == 1
    assert messages(versions, environment={"FI_EFA_SET_CUDA_SYNC_MEMOPS": "0"}) == []


def test_what_is_installed_counts_where_nothing_says_what_was_used():
    assert len(messages({"installed-plugin": "1.12.0"}, "p5en.48xlarge")) == 1
    assert messages({"installed-plugin": "1.12.0", "plugin": "1.16.3"}, "p5en.48xlarge") == []


def test_a_plugin_beside_that_of_the_installer_is_found():
    (message,) = messages({"efa-installer": "1.43.2", "plugin": "1.14.2"})
    assert message == "plugin 1.14.2 and efa-installer 1.43.2: the installer brings 1.16.3, so there are two of them"


def test_an_nccl_that_is_newer_than_the_plugin_was_tested_with_is_found():
    (message,) = messages({"nccl": "2.32.1", "plugin": "1.21.1"})
    assert message.endswith("releases of this series of the plugin were tested up to NCCL 2.31.2")
    assert messages({"nccl": "2.31.4", "plugin": "1.21.1"}) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [("2.9.9", "2.10.0"), ("1.9.1-aws", "1.13.0"), ("v1.2", "1.10"), ("2.1.0amzn3.0", "2.2"), ("570.86.15", "580.0")],
)
def test_versions_are_compared_as_versions(older: str, newer: str):
    assert (version(older) or ()) < (version(newer) or ())
    assert within(older, f"<{newer}")
    assert not within(newer, f"<{newer}")
    assert within(newer, f">={older}")


def test_zeros_at_the_end_change_nothing():
    assert version("2.1") == version("2.1.0")


@pytest.mark.parametrize("text", ["", "GitHub-dev", "unknown"])
def test_what_is_no_version_breaks_no_rule(text: str):
    assert not within(text, "<9999")
    assert messages({"nccl": text, "plugin": text, "libfabric": text, "efa-installer": text}, "p5.48xlarge") == []


@pytest.mark.parametrize("bound", ["2.1", ">2.1", "<", ">=x"])
def test_a_bound_that_is_none_is_refused(bound: str):
    with pytest.raises(ValueError, match="is no bound"):
        within("1.0", bound)
