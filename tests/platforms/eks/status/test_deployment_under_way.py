"""A call that was killed leaves a cluster half made or half gone: what is remembered of it says so."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from tests.operate.eks_cluster import NAME, UNREACHABLE, EksCluster, stack
from trainyard.deploy.record import Deployment
from trainyard.operate.status.status_query import status
from trainyard.platforms.eks.status.concerns import configured_groups

WELL = EksCluster()
CONFIG = """\
kind: ClusterConfig
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge}
  - {name: p5, instanceType: p5.48xlarge}
  - {name: trn1, instanceType: trn1.32xlarge}
"""
SINCE = "2027-01-15T07:00:00+00:00"


def deployment(stage: Any, config: str | None = CONFIG) -> Deployment:
    return Deployment(NAME, "us-east-2", stage, "0.1.0", "", "platform: eks", config, SINCE)


def told(record: Deployment, of: EksCluster = WELL) -> list[tuple[str, str, str | None]]:
    content = json.dumps(record._asdict()).encode()
    account = of.account(s3__GetObject=lambda _: {"Body": BytesIO(content), "ETag": '"1"'})
    found = status(NAME, account, kubectl=of.kubectl().of)
    assert found.record is not None, found.unknown
    return [(concern.severity, concern.what, concern.command) for concern in found.concerns]


def test_a_destruction_that_was_killed_is_gone_on_with():
    what = f"its destruction began at {SINCE} and is not over"
    assert told(deployment("destroying")) == [("error", what, "trainyard destroy llm --region us-east-2")]


def test_a_deployment_that_was_killed_says_which_node_groups_it_has_not_made():
    group, begun = told(deployment("deploying"))
    assert group == (
        "error",
        "node group trn1 of its last deployment is not there",
        "trainyard diagnose llm --region us-east-2",
    )
    assert begun[:2] == (
        "warning",
        f"its deployment began at {SINCE} and is not over: `trainyard deploy` with its spec goes on",
    )


def test_a_node_group_that_somebody_has_deleted_is_missing():
    ((severity, what, _),) = told(deployment("deployed"))
    assert (severity, what) == ("error", "node group trn1 of its last deployment is not there")


def test_of_a_node_group_whose_stack_failed_the_stack_says_why():
    failed = WELL.but(stacks=(*WELL.stacks, stack("eksctl-llm-nodegroup-trn1", "ROLLBACK_COMPLETE")))
    assert [what for _, what, _ in told(deployment("deployed"), failed)] == [
        "stack eksctl-llm-nodegroup-trn1 is ROLLBACK_COMPLETE"
    ]


def test_what_aws_tells_needs_no_answer_of_kubernetes():
    said = [what for _, what, _ in told(deployment("deployed"), WELL.but(refuses=UNREACHABLE))]
    assert "node group trn1 of its last deployment is not there" in said


@pytest.mark.parametrize("config", [None, "a: [", "[1]", "managedNodeGroups: [1, {name: 2}, {}]"])
def test_a_configuration_that_cannot_be_read_names_no_groups(config: str | None):
    assert configured_groups(deployment("deployed", config)) == ()


def test_of_a_cluster_without_a_record_nothing_is_configured():
    assert configured_groups(None) == ()
