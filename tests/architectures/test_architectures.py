"""The reference architectures say what their documents say, and are right but for what only a user knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.each_case import each_case
from trainyard.api.new import new_spec
from trainyard.architectures import Architecture, all_architectures
from trainyard.checking.spec_file import rule_findings
from trainyard.document.read import read_yaml
from trainyard.finding import Finding
from trainyard.spec.parsing import parse

FILE = Path(__file__).parent / "documented_values.yaml"
DOCUMENTED = read_yaml(FILE.read_text(encoding="utf-8"), FILE.name).value
VALUES = [(name, path, value) for name, values in DOCUMENTED.items() for path, value in values.items()]
EACH = pytest.mark.parametrize("architecture", all_architectures(), ids=lambda one: one.name)
REAL = {
    "cr-00000000000000000": "cr-0123456789abcdef0",
    "ami-00000000000000000": "ami-0123456789abcdef0",
    "s3://replace-me": "s3://ml-datasets/train",
    "vpc-00000000000000000": "vpc-0123456789abcdef0",
    "subnet-00000000000000001": "subnet-0123456789abcdef1",
    "subnet-00000000000000002": "subnet-0123456789abcdef2",
}


def found_in(text: str) -> list[Finding]:
    """Return what the rules object to in a spec, and nothing of what they only remark."""
    return [
        rule_finding for rule_finding in rule_findings(parse(text, "cluster.yaml")) if rule_finding.severity != "info"
    ]


def test_every_documented_architecture_is_there_and_no_other():
    assert {architecture.name for architecture in all_architectures()} == set(DOCUMENTED)


@each_case(("name", "path", "value"), VALUES, ids=lambda part: part if isinstance(part, str) else "")
def test_an_architecture_has_the_value_that_its_document_states(name: str, path: str, value: object):
    root = parse(new_spec(name), name).document.root
    steps = tuple(int(index) if index else key for index, key in re.findall(r"\[([0-9]+)\]|([^.\[\]]+)", path))
    written = root.at(steps).value
    wanted = value if isinstance(value, dict) else {"": value}
    assert {key: written[key] if key else written for key in wanted} == wanted


@EACH
def test_only_stand_ins_are_found_in_an_architecture(architecture: Architecture):
    wanted = {"stand-in-left"} if any(stand_in in architecture.text for stand_in in REAL) else set()
    assert {finding.id for finding in found_in(architecture.text)} == wanted


@EACH
def test_every_stand_in_is_found_and_can_be_set(architecture: Architecture):
    written = [stand_in for stand_in in REAL if stand_in in architecture.text]
    found = {str(finding.path): finding.message.split(" ")[0] for finding in found_in(architecture.text)}
    assert set(found.values()) == set(written)
    settings = [f"{path}={REAL[stand_in]}" for path, stand_in in found.items()]
    assert found_in(new_spec(architecture.name, settings)) == []


@EACH
def test_the_first_line_is_a_summary_that_fits_a_terminal(architecture: Architecture):
    assert re.fullmatch(r"[A-Z].{20,119}", architecture.summary)
    assert not architecture.summary.endswith(".")


@EACH
def test_an_architecture_is_short_enough_to_be_read_at_once(architecture: Architecture):
    assert len(architecture.text.splitlines()) < 80
