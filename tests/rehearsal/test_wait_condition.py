"""A wait in a stack that is not one of ParallelCluster, where nobody would ever signal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.rehearsal import cloud
from trainyard.rehearsal.emulated import head_node
from trainyard.rehearsal.emulated.resource import ResourceError

WAIT = {
    "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
    "Wait": {
        "Type": "AWS::CloudFormation::WaitCondition",
        "Properties": {"Handle": {"Ref": "Handle"}, "Timeout": "60"},
    },
}


class AccountWithOneStack:
    """Knows a stack and nothing else."""

    account_id, region = "123456789012", "us-east-2"

    def __init__(self, *parameters: str) -> None:
        self._stack = {"Parameters": cloud.parameters(dict.fromkeys(parameters, "x"))}

    def client(self, _service: str) -> Any:
        return SimpleNamespace(
            describe_stacks=lambda **_: {"Stacks": [self._stack]},
            describe_stack_resources=lambda **_: {"StackResources": []},
        )


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ((), "no parameter ResourcesS3Bucket and no ArtifactS3RootDirectory"),
        (("ResourcesS3Bucket",), "no parameter ArtifactS3RootDirectory"),
    ],
)
def test_a_stack_without_the_parameters_of_parallelcluster_has_no_head_node(parameters, said):
    with pytest.raises(ResourceError, match=f"mine is no stack of ParallelCluster: it has {said}$"):
        head_node.start(AccountWithOneStack(*parameters), "mine")


@pytest.mark.integration
@pytest.mark.enable_socket
def test_such_a_stack_fails_for_a_reason_that_says_so(account):
    stack = cloud.create(account, WAIT)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "nobody signals in the emulated account but head nodes of ParallelCluster" in cloud.why(account, stack)
    cloud.delete(account, stack)
