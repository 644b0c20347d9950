"""A cluster in a VPC that exists: two private subnets, no internet, and instances that count in a reservation."""

from __future__ import annotations

import pytest

from tests.rehearsal.account_copies import account_for
from tests.rehearsal.whole import deployed
from trainyard.deploy.deployment import work_for
from trainyard.deploy.preflight_step import preflight_findings
from trainyard.edge.aws.nodes import nodes
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.enable_socket

SPEC = """\
name: llm
platform: parallelcluster
region: us-west-2
network:
  internet: none
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]
  availability_zone: us-west-2a
image: {os: alinux2023}
access: {ssh_key: mine}
head_node: {instance_type: m5.2xlarge, subnet: private}
queues:
  - name: gpu
    instance_type: p4d.24xlarge
    nodes: 2
    subnet: subnet-0123456789abcdef1
    capacity: {reservation: cr-0123456789abcdef0}
  - {name: cpu, instance_type: c5.2xlarge, nodes: {max: 2}}
"""


def test_nothing_is_missing_in_the_network_that_was_planted():
    with account_for(SPEC) as account:
        parsed = parse(SPEC, "cluster.yaml")
        findings = preflight_findings(work_for(parsed.spec, account), parsed.document)
        assert [finding for finding in findings if finding.severity == "error"] == []
        zones = {
            subnet["SubnetId"]: subnet["AvailabilityZone"]
            for subnet in account.client("ec2").describe_subnets()["Subnets"]
        }
        assert zones["subnet-0123456789abcdef0"] != zones["subnet-0123456789abcdef1"]


@pytest.mark.exhaustive
@pytest.mark.integration
def test_it_is_deployed_and_its_instances_count_in_the_reservation_also_at_a_second_look():
    with account_for(SPEC) as account:
        done = deployed(account, SPEC)
        assert (done.ok, done.findings) == (True, ())
        details = {result.name: result.detail for result in done.results}
        assert details["cluster"] == "CREATE_COMPLETE; ParallelCluster warns: EfaPlacementGroupValidator"
        compute = [node for node in nodes(account, "llm") if node.role == "Compute"]
        reserved = account.client("ec2").describe_instances(InstanceIds=[node.id for node in compute])["Reservations"]
        ids = {
            instance.get("CapacityReservationId") for reservation in reserved for instance in reservation["Instances"]
        }
        assert ids == {"cr-0123456789abcdef0"}
        parsed = parse(SPEC, "cluster.yaml")
        findings = preflight_findings(work_for(parsed.spec, account), parsed.document)
        assert [finding.message for finding in findings if finding.severity == "error"] == []
