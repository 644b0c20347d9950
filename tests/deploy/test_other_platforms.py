"""AWS Batch and Amazon EKS have steps of their own."""

from __future__ import annotations

from tests.specs import spec_of
from trainyard.deploy.deployment import refuse_no_cluster, steps_to_deploy
from trainyard.deploy.plan.deployment_plan import plan
from trainyard.deploy.requirements.permissions import needed_actions
from trainyard.deploy.work import Options
from trainyard.launch.launch import launches
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec

QUEUES = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]"
ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}"
EKS = spec_of(f"platform: eks\n{ZONES}\n{QUEUES}")
ON_EKS = ["cluster", "add-ons", "node-groups", "ready", "manifests", "kubeconfig"]
BATCH = spec_of(f"platform: batch\n{QUEUES}\nfile_systems: [{{mount: /fsx, lustre: {{size_gib: 4800}}}}]")
IN_ENVIRONMENT = spec_of(f"platform: batch\nenvironment: shared\n{QUEUES}")


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
    assert names(spec) == ["changes", "reservations", "network", "capacity-start", "key-pair", "batch"]


def test_a_plan_of_batch_names_its_resources_and_no_head_node():
    planned = plan(BATCH)
    stack = planned.stacks[-1]
    assert stack.resources["AWS::Batch::JobDefinition"] == 3
    assert stack.keeps == ("Repository", "LogGroup")
    assert not any("head node" in line.what for line in planned.cost.lines)
    assert {"dashboards in CloudWatch", "Container Insights, standard"} <= {line.what for line in planned.cost.lines}
    assert not any(
        immutable_field.path.startswith(("parallelcluster", "head_node"))
        for immutable_field in planned.immutable_fields
    )


def test_nodes_of_batch_cost_nothing_until_jobs_want_them():
    (line,) = (line for line in plan(BATCH).cost.lines if line.what.startswith("queue q"))
    assert (line.least, line.most) == (0, 4)


def test_a_deployment_of_batch_can_stop_before_the_cluster():
    refuse_no_cluster(BATCH, Options(before_cluster=True))


def test_a_cluster_of_eks_is_made_by_eksctl_and_filled_by_kubectl():
    assert names(EKS) == ["changes", "network", "key-pair", *ON_EKS]


def test_launch_templates_of_eks_come_after_the_network_that_they_name():
    spec = spec_of(f"platform: eks\n{ZONES}\n{QUEUES.replace('p5.48xlarge', 'p6-b300.48xlarge')}")
    assert names(spec) == ["changes", "network", "nodes", "key-pair", *ON_EKS]


def test_what_a_cluster_of_eks_may_lack_is_left_to_the_end_of_a_deployment():
    text = f"platform: eks\n{ZONES}\n{QUEUES}\nfile_systems: [{{mount: /fsx, lustre: {{size_gib: 4800}}}}]"
    spec = spec_of(f"{text}\nmonitoring: {{mode: amp+amg}}")
    assert names(spec)[:5] == ["changes", "network", "storage", "monitoring", "rules"]
    assert names(spec)[-1] == "grafana"


def test_a_plan_of_eks_has_the_control_plane_and_the_system_nodes_in_its_cost():
    planned = plan(EKS)
    costs = {line.what: line.most_usd_per_hour for line in planned.cost.lines}
    assert costs["control plane of EKS"] == 0.1
    assert "system nodes, c5.2xlarge" in costs
    assert not any("head node" in what for what in costs)
    (stage,) = [stage for stage in planned.stages if stage.name == "cluster"]
    assert stage.minutes == (15, 30)
    assert stage.sources
    assert not any(
        immutable_field.path.startswith(("parallelcluster", "head_node"))
        for immutable_field in planned.immutable_fields
    )


def test_extended_support_costs_six_times_as_much():
    spec = spec_of(f'platform: eks\n{ZONES}\n{QUEUES}\neks: {{kubernetes_version: "1.33"}}')
    (line,) = [line for line in plan(spec).cost.lines if line.what == "control plane of EKS"]
    assert line.usd_per_hour_each == 0.6
    assert "extended support of Kubernetes 1.33" in line.basis
    assert line.source is not None


def test_system_nodes_cost_the_volumes_that_they_are_rendered_with():
    rendered = render(EKS, {}).documents["cluster.yaml"]["managedNodeGroups"][0]
    volumes = next(line for line in plan(EKS).cost.lines if line.what.startswith("root volumes of the system nodes"))
    assert volumes.least == rendered["volumeSize"] * rendered["desiredCapacity"]


def test_whoever_deploys_on_eks_needs_its_permissions_and_none_of_parallelcluster():
    actions = needed_actions(EKS)
    assert {"eks:CreateCluster", "eks:DescribeNodegroup", "iam:CreateOpenIDConnectProvider"} <= set(actions)
    assert "route53:CreateHostedZone" not in actions


def test_the_system_nodes_are_counted_where_the_account_is_asked():
    system = launches(EKS)[0]
    assert (system.title, system.instance_types, system.first_nodes) == ("the system nodes", ("c5.2xlarge",), 2)
