"""Checking a file, whosever it is."""

from __future__ import annotations

import json
from pathlib import Path

from tests.each_case import each_case
from tests.examples import example_spec
from tests.oracles import PUBLISHED_CONFIGS, needs
from trainyard.api import check_files
from trainyard.checking.any_file import check_any_file
from trainyard.checking.recognition import FUNCTIONS
from trainyard.checking.spec_file import check_file
from trainyard.document.problems import MOST_FINDINGS
from trainyard.document.read import read_yaml

# Our words for what the cases call their defects.
OUR_IDS = {
    "capacity-reservation-id-typo": "eksctl-reservation-key-misspelt",
    "yaml-not-parseable": "yaml-syntax",
    "availability-zones-not-a-list": "eksctl-wrong-shape",
    "unknown-field-managed-nodegroup": "eksctl-unknown-key",
    "nodegroup-az-not-pinned": "eksctl-reservation-zone-unclear",
    "kubernetes-version-end-of-support": "eksctl-kubernetes-version",
    "self-managed-placement-group-with-reservation": "eksctl-placement-group-with-reservation",
}
# What cannot be found in a file that cannot be read.
BEYOND_REACH = {"capacity-reservation-arn-typo"}
MISSPELT = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
managedNodeGroups:
  - name: p5
    capacityReservation:
      capacityReservationTarget:
        capacityReservationId: cr-0123456789abcdef0
"""


TEMPLATE = """\
Parameters:
  Kind: {Type: String, Default: SPOT}
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {Type: !Ref Kind}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      NodeProperties: {NodeRangeProperties: [{Container: {Image: !Sub "${Registry}/train"}}]}
"""


def cases() -> list[Path]:
    return sorted(PUBLISHED_CONFIGS.glob("e*"))


def check(tmp_path: Path, text: str):
    file = tmp_path / "file.yaml"
    file.write_text(text)
    return check_any_file(str(file))


def test_a_finding_has_the_line_and_column_of_the_key_that_it_is_about(tmp_path: Path):
    checked = check(tmp_path, MISSPELT)
    found = next(finding for finding in checked.findings if finding.id == "eksctl-reservation-key-misspelt")
    assert (found.line, found.column, found.severity) == (7, 9, "error")
    assert found.path == "managedNodeGroups[0].capacityReservation.capacityReservationTarget.capacityReservationId"
    assert found.source == "https://github.com/eksctl-io/eksctl/issues/8320"
    assert checked.foreign == "eksctl"


def test_a_template_is_read_with_the_short_forms_of_functions(tmp_path: Path):
    checked = check(tmp_path, TEMPLATE)
    assert checked.foreign == "cloudformation"
    (found,) = checked.findings
    assert (found.id, found.line, found.column) == ("cloudformation-spot-for-multi-node-jobs", 7, 26)


def test_a_template_in_json_is_read_too(tmp_path: Path):
    value = read_yaml(TEMPLATE, "template.yaml", FUNCTIONS).value
    checked = check(tmp_path, json.dumps(value))
    assert [finding.id for finding in checked.findings] == ["cloudformation-spot-for-multi-node-jobs"]


def test_findings_come_worst_first(tmp_path: Path):
    severities = [finding.severity for finding in check(tmp_path, MISSPELT).findings]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)


def test_nobody_gets_more_findings_of_a_kind_than_anybody_reads(tmp_path: Path):
    keys = "".join(f"key-{number}: 1\n" for number in range(20_000))
    found = [finding.id for finding in check(tmp_path, f"apiVersion: eksctl.io/v1alpha5\n{keys}").findings]
    assert found.count("eksctl-unknown-key") == MOST_FINDINGS


def test_a_spec_is_checked_as_one(tmp_path: Path):
    checked = check(tmp_path, example_spec("image: {os: alinux2}"))
    assert checked.parsed is not None
    assert {finding.id for finding in checked.findings} == {"os-not-supported"}


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path):
    assert [finding.id for finding in check_any_file(str(tmp_path / "missing.yaml")).findings] == ["file-unreadable"]


def test_only_check_takes_files_of_other_tools(tmp_path: Path):
    file = tmp_path / "eksctl.yaml"
    file.write_text(MISSPELT)
    assert [finding.id for finding in check_file(str(file)).findings] == ["spec-foreign"]
    assert [one.foreign for one in check_files([str(file)])] == ["eksctl"]


@needs(PUBLISHED_CONFIGS)
@each_case("case", cases(), ids=lambda case: case.name)
def test_real_files_have_the_defects_that_are_known_and_clean_ones_have_none(case: Path):
    facts = json.loads((case / "meta.json").read_text())
    (file,) = facts["files"]
    found = {finding.id: finding for finding in check_any_file(str(case / file)).findings}
    for defect in facts["defects"]:
        if defect["id"] not in BEYOND_REACH:
            finding = found[OUR_IDS[defect["id"]]]
            assert finding.severity == defect["severity"]
            assert finding.path in (defect["path"], None)
    if facts["clean"]:
        assert [one for one in found.values() if one.severity != "info"] == []
