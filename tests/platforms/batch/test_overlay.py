"""The overlay of AWS Batch's stack: merged into its resources, and refused where the spec decides or nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cfn_lint import objections
from tests.each_case import each_case
from tests.specs import spec_of
from trainyard.bundle.assemble import assemble
from trainyard.checking.spec_file import check_text
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids

PLAIN = "platform: batch\nqueues: [{name: gpu, instance_type: p5.48xlarge}, {name: cpu, instance_type: m5.8xlarge}]\n"
LIMIT = {"Action": "CANCEL", "MaxTimeSeconds": 3600, "Reason": "no capacity", "State": "RUNNABLE"}
LIMITED = {"JobQueue2": {"Properties": {"JobStateTimeLimitActions": [LIMIT]}}}


def text_of(overlay: dict[str, Any]) -> str:
    return f"{PLAIN}batch: {{overlay: {yaml.safe_dump(overlay, default_flow_style=True, width=10**6)[:-1]}}}\n"


def problems(overlay: dict[str, Any]) -> list[str]:
    text = f"name: b\nregion: us-east-2\n{text_of(overlay)}"
    found = check_text(text, "cluster.yaml").findings
    return [f"{finding.path}: {finding.message}" for finding in found if finding.id == "overlay-key-modelled"]


def test_properties_are_merged_into_the_resource_that_is_named():
    plain = yaml.safe_load(stack(spec_of(PLAIN), "batch", Ids({})).template)
    grown = yaml.safe_load(stack(spec_of(text_of(LIMITED)), "batch", Ids({})).template)
    assert grown["Resources"]["JobQueue2"]["Properties"].pop("JobStateTimeLimitActions") == [LIMIT]
    assert grown == plain
    assert problems(LIMITED) == []


def test_plan_and_bundle_name_what_an_overlay_writes():
    spec = spec_of(text_of(LIMITED))
    assert plan(spec).overlay == ("JobQueue2.Properties.JobStateTimeLimitActions",)
    files = assemble(spec).files
    assert "- `JobQueue2.Properties.JobStateTimeLimitActions`" in files["README.md"].decode()
    assert b"MaxTimeSeconds: 3600" in files["batch.yaml"]


@each_case(
    ("overlay", "words"),
    [
        ({"JobQeue": {"Properties": {"Priority": 2}}}, "the stack has no resource JobQeue; there are"),
        ({"JobQueue": {"Properties": {"Priorty": 2}}}, "CloudFormation knows no key Priorty here"),
        ({"JobQueue": {"Propertys": {"Priority": 2}}}, "CloudFormation knows no key Propertys here"),
        ({"JobQueue": {"Properties": {"JobStateTimeLimitActions": [{"Act": 1}]}}}, "CloudFormation knows no key Act"),
        ({"JobQueue": {"Properties": {"Priority": 2}}}, "JobQueue.Properties.Priority, which trainyard writes"),
        ({"JobQueue": {"Type": "AWS::EC2::Instance"}}, "JobQueue.Type, which trainyard writes"),
        (
            {"ComputeEnvironment": {"Properties": {"ComputeResources": {"MaxvCpus": {"Ref": "Other"}}}}},
            "MaxvCpus, which is queues[].nodes in the spec",
        ),
        ({"JobQueue": {"Properties": "none"}}, "JobQueue.Properties, which trainyard writes"),
    ],
    ids=str,
)
def test_what_has_no_place_or_is_the_spec_s_is_refused(overlay: Any, words: str):
    (found,) = problems(overlay)
    assert words in found
    assert found.startswith("batch.overlay.")


@pytest.mark.integration
def test_cfn_lint_accepts_a_template_with_an_overlay_and_objects_to_a_value_that_is_wrong(tmp_path: Path):
    def said(limit: dict[str, Any]) -> list[str]:
        file = tmp_path / "batch.yaml"
        overlay = {"JobQueue": {"Properties": {"JobStateTimeLimitActions": [limit]}}}
        file.write_text(stack(spec_of(text_of(overlay)), "batch", Ids({})).template)
        return objections(file, ignored=["W"], regions=["us-east-2"])

    assert said(LIMIT) == []
    assert len(said({**LIMIT, "MaxTimeSeconds": 1})) == 1
