"""`check` with a file of another tool: the same forms and the same exit statuses as for a spec."""

from __future__ import annotations

import json

from tests.examples import example_document, example_spec

WRONG = example_document("eksctl", "managedNodegroups: []")
RIGHT = example_document("eksctl", "managedNodeGroups: []")


def test_the_exit_status_says_whether_there_are_errors(trainyard, tmp_path):
    (tmp_path / "wrong.yaml").write_text(WRONG)
    (tmp_path / "right.yaml").write_text(RIGHT)
    wrong, right = trainyard("check", "wrong.yaml"), trainyard("check", "right.yaml")
    assert (wrong.status, right.status) == (1, 0)
    assert wrong.out.startswith("wrong.yaml:1:1: error: eksctl drops 'managedNodegroups' without a word")
    assert right.out == "right.yaml: ok\n"


def test_it_may_come_from_standard_input(trainyard):
    ran = trainyard("check", "--json", "-", standard_input=WRONG)
    assert [(one["id"], one["line"]) for one in json.loads(ran.out)["findings"]] == [("eksctl-unknown-key", 1)]


def test_specs_and_other_files_are_checked_side_by_side(trainyard, tmp_path):
    (tmp_path / "spec.yaml").write_text(example_spec("image: {os: alinux2}"))
    (tmp_path / "eksctl.yaml").write_text(WRONG)
    ran = trainyard("check", "--format", "sarif", "spec.yaml", "eksctl.yaml")
    results = json.loads(ran.out)["runs"][0]["results"]
    assert (ran.status, [result["ruleId"] for result in results]) == (1, ["os-not-supported", "eksctl-unknown-key"])


def test_a_rule_about_other_files_is_explained(trainyard):
    ran = trainyard("explain", "eksctl-reservation-key-misspelt")
    assert ran.status == 0
    assert "capacityReservationID: cr-0123456789abcdef0" in ran.out


def test_a_command_that_needs_a_spec_still_says_what_it_was_given(trainyard, tmp_path):
    (tmp_path / "eksctl.yaml").write_text(RIGHT)
    ran = trainyard("render", "eksctl.yaml", "-o", "build")
    assert ran.status == 2
    assert "this is an eksctl ClusterConfig, not a trainyard spec" in ran.err
    assert not (tmp_path / "build").exists()
