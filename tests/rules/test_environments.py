"""Every rule bears an environment, which has no queues."""

import pytest

from trainyard.rules import all_rules
from trainyard.spec.parsing import parse

LEAST = "kind: environment\nname: shared\nregion: us-east-2\n"
MOST = (
    LEAST
    + """\
network:
  availability_zone: us-east-2a
  secondary_availability_zone: us-east-2b
  further_availability_zones: [us-east-2c]
access: {allow_from: [203.0.113.7/32, 198.51.100.0/24]}
iam: {resource_prefix: /team/ml-}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125, data_repository: s3://ml-datasets/train}}
  - {mount: /home, openzfs: {size_gib: 512}}
monitoring: {mode: self-hosting, certificate: "arn:aws:acm:us-east-2:123456789012:certificate/0a1b2c3d"}
stack_overlays: {network: {parameters: {CreateS3Endpoint: "true"}}}
tags: {team: ml}
"""
)


@pytest.mark.parametrize("text", [LEAST, MOST])
def test_no_rule_finds_an_error_in_a_good_environment(text):
    spec = parse(text, "shared.yaml").spec
    assert spec.is_environment
    found = [(rule.id, problem) for rule in all_rules() for problem in rule.problems(spec)]
    assert [one for one in found if (one[1].severity or "error") == "error" and one[0] != "stand-in-left"] == []
