"""A plan of Terraform is judged by the rules about CloudFormation, at the places of the plan."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from trainyard.checking.any_file import check_any_file
from trainyard.finding import Finding

TEMPLATE = {"metadata_options": [{"http_tokens": "required"}]}
IDS: dict[str, tuple[str, dict[str, Any]]] = {
    "cloudformation-imds-version-1": ("aws_launch_template", {"metadata_options": [{"http_tokens": "optional"}]}),
    "cloudformation-interfaces-do-not-fit": (
        "aws_launch_template",
        {
            **TEMPLATE,
            "instance_type": "g5.8xlarge",
            "network_interfaces": [
                {"device_index": index, "network_card_index": index, "interface_type": "efa"} for index in (0, 1)
            ],
        },
    ),
    "cloudformation-groups-beside-interfaces": (
        "aws_launch_template",
        {**TEMPLATE, "vpc_security_group_ids": ["sg-1"], "network_interfaces": [{"device_index": 0}]},
    ),
    "script-download-run": (
        "aws_launch_template",
        {**TEMPLATE, "user_data": base64.b64encode(b"curl -fsSL https://example.com/a.sh | bash\n").decode()},
    ),
    "cloudformation-min-above-max": ("aws_eks_node_group", {"scaling_config": [{"min_size": 4, "max_size": 2}]}),
    "cloudformation-lambda-runtime-ends": ("aws_lambda_function", {"runtime": "python3.8"}),
    "cloudformation-broad-policy": (
        "aws_iam_role",
        {"managed_policy_arns": ["arn:aws:iam::aws:policy/AdministratorAccess"]},
    ),
    "cloudformation-load-balancer-in-one-subnet": (
        "aws_lb",
        {"load_balancer_type": "application", "subnets": ["subnet-1"]},
    ),
}


def checked(folder: Path, *resources: dict[str, Any], within: str | None = None) -> list[Finding]:
    module: dict[str, Any] = {"resources": list(resources)}
    root = {"child_modules": [{"address": within, **module}]} if within else module
    file = folder / "plan.json"
    file.write_text(json.dumps({"format_version": "1.2", "planned_values": {"root_module": root}}, indent=1))
    return list(check_any_file(str(file)).findings)


def resource(type_: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"address": f"{type_}.a", "mode": "managed", "type": type_, "name": "a", "values": values}


@pytest.mark.parametrize("id_", IDS)
def test_the_same_facts_are_found(id_: str, tmp_path: Path):
    (finding,) = checked(tmp_path, resource(*IDS[id_]))
    assert finding.id == id_
    assert "aws_" in f"{finding.message} {finding.path}" or id_.startswith("script-")


def test_each_range_of_a_rule_is_looked_at_and_named_where_it_stands(tmp_path: Path):
    ingress = {"from_port": 22, "to_port": 22, "protocol": "tcp", "cidr_blocks": ["10.0.0.0/8", "0.0.0.0/0"]}
    (finding,) = checked(tmp_path, resource("aws_security_group", {"ingress": [ingress]}), within="module.a")
    assert (finding.id, finding.path) == ("cloudformation-ssh-open-to-world", "aws_security_group.a")
    line = (tmp_path / "plan.json").read_text().splitlines()[(finding.line or 0) - 1]
    assert "0.0.0.0/0" in line


def test_a_sound_plan_and_what_only_an_apply_makes_known_are_fine(tmp_path: Path):
    values = {**TEMPLATE, "image_id": None, "network_interfaces": [], "user_data": "not base64"}
    interface = {"device_index": 0, "network_card_index": 0, "interface_type": "efa"}
    assert checked(tmp_path, resource("aws_launch_template", values)) == []
    assert checked(tmp_path, resource("aws_launch_template", {**values, "network_interfaces": [interface]})) == []


def test_a_plan_without_a_known_resource_says_so(tmp_path: Path):
    (finding,) = checked(tmp_path, resource("aws_s3_bucket", {"bucket": "a"}))
    assert finding.id == "nothing-to-judge"


@pytest.mark.parametrize(
    "plan",
    [
        "{}",
        '{"root_module": 1}',
        '{"root_module": {"resources": 1}}',
        '{"root_module": {"resources": [1, {"values": 1}]}}',
    ],
)
def test_whatever_stands_in_a_plan_is_borne(plan: str, tmp_path: Path):
    file = tmp_path / "plan.json"
    file.write_text(f'{{"format_version": "1.2", "planned_values": {plan}}}')
    assert check_any_file(str(file)).kind == "terraform"
