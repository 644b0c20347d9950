"""Parameters of a stack that nobody changed are no drift, whichever deployment of ours gave them."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.deploy.stack_drift import given_parameters, parameter_differences
from trainyard.deploy.steps.stack import kept_parameters
from trainyard.edge.aws.stacks import StackState
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids

SPEC = "network: {availability_zone: us-east-1a}\nmonitoring: {mode: self-hosting}\n"
IMAGE = "ami-0d3d85815a9746bc5"
FOREIGN = "ami-00000000000000bad"


@pytest.mark.parametrize(("current", "drifted"), [("", False), (IMAGE, False), (FOREIGN, True)])
def test_the_image_of_a_monitoring_instance_drifts_only_where_somebody_else_chose_it(current: str, *, drifted: bool):
    given = given_parameters(stack(spec_of(SPEC), "monitoring", Ids({})))
    outputs = {"MonitoringInstanceImage": IMAGE, "MonitoringRootGiB": given["MonitoringRootGiB"]}
    parameters = {**given, "MonitoringImageId": current}
    state = StackState("llm-monitoring", "id", "UPDATE_COMPLETE", "", {}, outputs, parameters=parameters)
    differences = [*parameter_differences(state, given, kept_parameters("monitoring", given, state))]
    assert [difference.path for difference in differences] == [("Parameters", "MonitoringImageId")] * drifted
