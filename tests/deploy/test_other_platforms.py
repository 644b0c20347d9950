"""What can be rendered and not be deployed yet is refused in one line; AWS Batch has steps of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.specs import spec_of
from trainyard.deploy.deployment import refuse_no_cluster, steps_to_deploy
from trainyard.deploy.planning import plan
from trainyard.deploy.work import Options
from trainyard.errors import TrainyardError

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec

QUEUES = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]"
EKS = spec_of(f"platform: eks\n{QUEUES}")
BATCH = spec_of(f"platform: batch\n{QUEUES}\nfile_systems: [{{mount: /fsx, lustre: {{size_gib: 4800}}}}]")
IN_ENVIRONMENT = spec_of(f"platform: batch\nenvironment: shared\n{QUEUES}")


@pytest.mark.parametrize(
    "command",
    [steps_to_deploy, plan, lambda spec: refuse_no_cluster(spec, Options())],
    ids=["steps", "plan", "deploy"],
)
def test_a_cluster_of_eks_is_not_deployed_yet(command):
    with pytest.raises(TrainyardError, match="checks and renders specs for eks but does not deploy them yet") as raised:
        command(EKS)
    assert raised.value.where == "platform"


def names(spec: Spec) -> list[str]:
    return [step.name for step in steps_to_deploy(spec)]


def test_a_cluster_of_batch_is_one_more_stack_and_nothing_is_published_for_nodes():
    assert names(BATCH) == ["changes", "network", "storage", "key-pair", "batch"]


def test_a_cluster_of_batch_in_an_environment_makes_no_network():
    assert names(IN_ENVIRONMENT) == ["changes", "environment", "key-pair", "batch"]


def test_groups_of_reservations_come_before_the_compute_environments():
    capacity = "capacity: {reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}"
    spec = spec_of(
        f"platform: batch\nqueues: [{{name: q, instance_type: p5.48xlarge, nodes: {{min: 0, max: 4}}, {capacity}}}]"
    )
    assert names(spec) == ["changes", "reservations", "network", "key-pair", "batch"]


def test_a_plan_of_batch_names_its_resources_and_no_head_node():
    planned = plan(BATCH)
    stack = planned.stacks[-1]
    assert stack.resources["AWS::Batch::JobDefinition"] == 3
    assert stack.keeps == ("Repository", "LogGroup")
    assert not any("head node" in line.what for line in planned.cost.lines)
    assert {"dashboards in CloudWatch", "Container Insights, standard"} <= {line.what for line in planned.cost.lines}
    assert not any(one.path.startswith(("parallelcluster", "head_node")) for one in planned.fixed)


def test_nodes_of_batch_cost_nothing_until_jobs_want_them():
    (line,) = (line for line in plan(BATCH).cost.lines if line.what.startswith("queue q"))
    assert (line.least, line.most) == (0, 4)


def test_a_deployment_of_batch_can_stop_before_the_cluster():
    refuse_no_cluster(BATCH, Options(before_cluster=True))
