"""What a cluster would make for itself although its environment has it."""

import pytest

from tests.rules.found import paths

RULE = "made-by-environment"
SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:pager-AbCdEf"
EXISTING = "{vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        (f"network: {{existing: {EXISTING}}}", "network.existing"),
        ("network: {secondary_availability_zone: us-east-2b}", "network.secondary_availability_zone"),
        ("network: {further_availability_zones: [us-east-2b]}", "network.further_availability_zones"),
        ("monitoring: {mode: self-hosting, certificate: 'arn:aws:acm:us-east-2:123456789012:certificate/a'}",
         "monitoring.certificate"),
        ("monitoring: {mode: amp-only, alert_email: ml@example.com}", "monitoring.alert_email"),
        (f"monitoring: {{mode: amp-only, alert_receivers: [{{kind: pagerduty, secret: '{SECRET}'}}]}}",
         "monitoring.alert_receivers"),
        ("monitoring: {mode: self-hosting, instance_type: m5.large}", "monitoring.instance_type"),
        ("file_systems: [{mount: /a, openzfs: {size_gib: 64}}]", "file_systems[0].openzfs"),
        ("file_systems: [{mount: /a, lustre: {size_gib: 1200}}]", "file_systems[0].lustre"),
        ("access: {allow_from: [203.0.113.7/32, 198.51.100.0/24]}", "access.allow_from"),
    ],
)  # fmt: skip
def test_a_key_that_the_environment_decides_is_found_only_with_one(part, path):
    assert paths(RULE, f"environment: use2\n{part}") == [path]
    assert paths(RULE, part) == []


@pytest.mark.parametrize(
    "part",
    [
        "network: {availability_zone: us-east-2a}",
        "file_systems: [{mount: /a, lustre: {id: fs-0123456789abcdef0}}]",
        "file_systems: [{mount: /a, ebs: {size_gib: 64}}, {mount: /b, efs: {}}]",
        "access: {allow_from: [203.0.113.7/32]}",
        "monitoring: {mode: amp-only}",
    ],
)
def test_what_belongs_to_the_cluster_is_fine(part):
    assert paths(RULE, f"environment: use2\n{part}") == []


def test_eks_takes_several_ranges_without_a_prefix_list():
    part = "platform: eks\nenvironment: use2\naccess: {allow_from: [203.0.113.7/32, 198.51.100.0/24]}"
    assert paths(RULE, part) == []
