"""What somebody else has changed of stacks since the last deployment."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.examples import example_spec
from tests.specs import spec_of
from trainyard.deploy.record import Deployment
from trainyard.deploy.stack_drift import stack_drift
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.errors import TrainyardError
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids
from trainyard.version import __version__

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = "name: drifted\nqueues: [{name: q, instance_type: m5.large}]\n"


def record(account: Account, **values: Any) -> Deployment:
    values = {"stage": "deployed", "trainyard_version": __version__, **values}
    return Deployment(
        name="drifted",
        region=account.region,
        parallelcluster_version="3.16.1",
        spec_text=example_spec(SPEC),
        cluster_config=None,
        since="",
        **values,
    )


def drift(account: Account, **values: Any) -> list[str]:
    return list(map(str, stack_drift(account, "mine", record(account, **values), all_stacks(account))))


def test_stacks_are_held_against_what_the_recorded_spec_says(account: Account):
    network = stack(spec_of(SPEC), "network", Ids({}))
    client = account.client("cloudformation")
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in network.parameters.items()]
    tags = [{"Key": key, "Value": value} for key, value in network.tags.items()]
    more = {"Parameters": given, "Tags": tags, "Capabilities": ["CAPABILITY_NAMED_IAM"]}
    client.create_stack(StackName="drifted-network", TemplateBody=network.template, **more)
    all_stacks(account)  # nobody is done before somebody has looked
    assert drift(account) == []

    template = yaml.safe_load(network.template)
    template["Resources"]["Topic"] = {"Type": "AWS::SNS::Topic"}
    client.update_stack(StackName="drifted-network", TemplateBody=yaml.safe_dump(template), **more)
    all_stacks(account)
    assert "drifted-network: Resources.Topic is new: \"{'Type': 'AWS::SNS::Topic'}\"" in drift(account)
    assert drift(account, stage="deploying") == []
    with pytest.raises(TrainyardError, match=r"deployed by trainyard 0\.0\.1"):
        drift(account, trainyard_version="0.0.1")
