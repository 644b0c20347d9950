"""What documents about training on AWS get wrong, found where it stands in a file."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

from tests.each_case import each_case
from trainyard.checking.any_file import check_any_text

CASES: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix("").with_name("document_defects.yaml").read_text())
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1/"
GOOD = Template(CASES["configuration"]).substitute(MODE="amp-only", ENDPOINT=ENDPOINT).replace(
    "      Ssh:\n        KeyName: mine\n", ""
)  # fmt: skip
CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: llm, region: us-east-2, version: "1.36"}
vpc: {publicAccessCIDRs: [203.0.113.0/24], clusterEndpoints: {publicAccess: true, privateAccess: true}}
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
"""


def ids(text: str, name: str, *severities: str) -> set[str]:
    """Return what is found in a file, of some severities or of all."""
    checked = check_any_text(text, name)
    return {found.id for found in checked.findings if not severities or found.severity in severities}


def test_without_its_defects_the_configuration_is_right():
    assert ids(GOOD, "cluster.yaml", "error", "warning") == set()
    assert ids(CLUSTER, "eksctl.yaml", "error", "warning") == set()


@pytest.mark.parametrize("mode", CASES["modes"])
def test_every_mode_of_monitoring_shows_its_errors(mode: str):
    case = CASES["modes"][mode]
    text = Template(CASES["configuration"]).substitute(case)
    assert ids(text, "cluster.yaml", "error") == set(case["found"])


@each_case("name", CASES["switches"])
def test_what_a_switch_writes_is_found(name: str):
    case = CASES["switches"][name]
    assert GOOD.count(case["at"]) == 1
    text = GOOD.replace(case["at"], case["write"] + case["at"])
    assert ids(text, "cluster.yaml") - ids(GOOD, "cluster.yaml") == {case["found"]}


@each_case("name", CASES["values"])
def test_a_wrong_value_is_found(name: str):
    case = CASES["values"][name]
    assert GOOD.count(case["right"]) == 1
    assert case["found"] in ids(GOOD.replace(case["right"], case["wrong"]), "cluster.yaml")


@each_case("name", CASES["scripts"])
def test_a_wrong_line_of_a_script_is_found(name: str):
    case = CASES["scripts"][name]
    assert case["found"] in ids(f"#!/bin/bash\n{case['text']}\n", case.get("name", "run.sh"))


@each_case("name", CASES["templates"])
def test_a_wrong_resource_is_found(name: str):
    case = CASES["templates"][name]
    resources = "".join(f"  {line}\n" for line in case["text"].splitlines())
    assert case["found"] in ids(
        f"AWSTemplateFormatVersion: 2010-09-09\n{case.get('above', '')}Resources:\n{resources}", "template.yaml"
    )


@each_case("name", CASES["clusters"])
def test_a_wrong_key_of_eksctl_is_found(name: str):
    case = CASES["clusters"][name]
    assert CLUSTER.count(case["right"]) == 1
    assert case["found"] in ids(CLUSTER.replace(case["right"], case["wrong"]), "eksctl.yaml")
