"""What a spec changes of a cluster that exists is said first, and refused where eksctl cannot do it."""

from __future__ import annotations

import pytest

from tests.kubernetes.api_server import Document
from tests.platforms.eks.deployment.cluster import ADMIN, failure, queue, spec_text, statuses
from trainyard.deploy.deployment import review_of


@pytest.fixture
def cluster(deploying):
    deploying.deploy()
    deploying.programs.calls.clear()
    return deploying


def details(results) -> dict[str, str]:
    assert results[-1].error is None, results[-1].error
    return {result.name: result.detail for result in results}


def pod(name: str, node: str, owner: str = "Job", phase: str = "Running") -> Document:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "jobs", "ownerReferences": [{"kind": owner, "name": "x"}]},
        "spec": {"nodeName": node},
        "status": {"phase": phase},
    }


def test_a_new_queue_is_a_new_node_group(cluster):
    found = details(cluster.deploy(spec_text(queue(), queue("more", "1"))))
    assert found["changes"] == "new node group more"
    assert cluster.groups()["more"] == (1, 1, 1)


def test_a_queue_that_goes_takes_its_node_group_along(cluster, programs):
    cluster.deploy(spec_text(queue(), queue("more", "1")))
    found = details(cluster.deploy(spec_text()))
    assert found["changes"] == "node group more goes"
    assert set(cluster.groups()) == {"system", "training"}
    assert programs.said("eksctl")[-1] == (
        "eksctl delete nodegroup --cluster=llm --region=us-east-2 --name=more --drain=true --wait --timeout=60m "
        "--color=false"
    )


def test_no_queue_goes_that_has_jobs(cluster, programs):
    cluster.deploy(spec_text(queue(), queue("more", "1")))
    programs.calls.clear()
    node = programs.eksctl.node_of("more")
    programs.api.add(pod("nccl-worker-0", node), pod("exporter", node, "DaemonSet"))
    said = failure(cluster.deploy(spec_text()))
    assert "takes nodes from more, where pods run that are not over: jobs/nccl-worker-0 |" in said
    assert "nothing was touched" in said
    assert programs.said("eksctl") == []


def test_pods_that_are_over_or_elsewhere_keep_no_queue(cluster, programs):
    cluster.deploy(spec_text(queue(), queue("more", "1")))
    more, training = map(programs.eksctl.node_of, ("more", "training"))
    programs.api.add(pod("done", more, phase="Succeeded"), pod("busy", training))
    assert details(cluster.deploy(spec_text()))["changes"] == "node group more goes"


def test_sizes_follow_the_spec(cluster, programs):
    found = details(cluster.deploy(spec_text(queue(nodes="{min: 1, max: 8, desired: 3}"))))
    assert found["changes"] == ("node group training: minSize 0 to 1, desiredCapacity 2 to 3, maxSize 4 to 8")
    assert cluster.groups()["training"] == (1, 3, 8)
    assert found["ready"] == "4 nodes are Ready: 1 of system, 3 of training"


def test_a_plan_shows_sizes_as_changes_and_touches_nothing(cluster, programs):
    review, refusals = review_of(cluster.work(spec_text(queue(nodes="{min: 0, max: 8, desired: 2}"))))
    assert [*review.lines()] == [
        "cluster: 0 to add, 1 to change, 0 to remove",
        "queues[0].nodes (managedNodeGroups[training].maxSize): 4 -> 8; at once",
    ]
    assert refusals == []
    assert cluster.groups()["training"] == (0, 2, 4)
    assert programs.said("eksctl") == []


def test_fewer_nodes_are_refused_while_jobs_run(cluster, programs):
    programs.api.add(pod("busy", programs.eksctl.node_of("training")))
    said = failure(cluster.deploy(spec_text(queue(nodes="{min: 0, max: 4, desired: 1}"))))
    assert "takes nodes from training" in said


def test_nodes_that_somebody_has_scaled_stay_where_the_spec_leaves_their_number_open(cluster):
    open_ = spec_text(queue(nodes="{min: 0, max: 4}"))
    assert details(cluster.deploy(open_))["changes"] == "nothing"
    assert cluster.groups()["training"] == (0, 2, 4)
    narrower = spec_text(queue(nodes="{min: 0, max: 1}"))
    assert details(cluster.deploy(narrower))["changes"].startswith("node group training: desiredCapacity 2 to 1")


def test_the_next_version_of_kubernetes_upgrades_control_plane_add_ons_and_system_nodes(cluster, programs):
    found = details(cluster.deploy(spec_text(version="1.35")))
    assert found["changes"] == "Kubernetes 1.34 to 1.35; add-ons"
    assert found["add-ons"].startswith("Kubernetes 1.35, add-ons ")
    assert found["node-groups"] == "nodes of system with Kubernetes 1.35"
    commands = [" ".join(one.split()[1:3]) for one in programs.said("eksctl")]
    assert commands == ["upgrade cluster", "update addon", "upgrade nodegroup"]
    assert any(
        "nodes of training keep Kubernetes 1.34; when no jobs run: eksctl upgrade" in one for one in cluster.told()
    )


@pytest.mark.parametrize(
    ("version", "way"),
    [("1.36", "one minor version at a time: deploy 1.35 first"), ("1.33", "no control plane goes back")],
)
def test_other_versions_are_refused(cluster, programs, version, way):
    said = failure(cluster.deploy(spec_text(version=version)))
    assert f"Kubernetes 1.34 to {version}" in said
    assert way in said
    assert programs.said("eksctl") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (spec_text(queue(kind="p5.48xlarge")), "node group training: instanceType g5.xlarge to p5.48xlarge"),
        (
            spec_text(more="iam: {kms_key: 'arn:aws:kms:us-east-2:123456789012:key/a'}\n"),
            "secretsEncryption nothing to",
        ),
    ],
)
def test_what_is_fixed_is_refused_with_the_way_round_it(cluster, programs, text, said):
    problem = failure(cluster.deploy(text))
    assert said in problem
    assert "nothing was touched" in problem
    assert programs.said("eksctl") == []


def test_administrators_are_added(cluster, programs):
    found = details(cluster.deploy(spec_text(admins=ADMIN)))
    assert found["changes"] == "administrators"
    assert cluster.administrators() == [ADMIN]


def test_who_reaches_the_api_follows_the_spec(cluster):
    found = details(cluster.deploy(spec_text(more="access: {allow_from: [203.0.113.7/32]}\n")))
    assert found["changes"] == "who reaches the Kubernetes API"
    network = cluster.account.client("eks").describe_cluster(name="llm")["cluster"]["resourcesVpcConfig"]
    assert network["publicAccessCidrs"] == ["203.0.113.7/32"]


def test_node_groups_of_somebody_else_are_left_alone(cluster):
    eks = cluster.account.client("eks")
    own = eks.describe_nodegroup(clusterName="llm", nodegroupName="system")["nodegroup"]
    place = {key: own[key] for key in ("subnets", "nodeRole")}
    eks.create_nodegroup(clusterName="llm", nodegroupName="mine", **place)
    assert details(cluster.deploy())["changes"] == "nothing"
    assert "mine" in cluster.groups()


def test_without_a_record_what_aws_shows_is_compared(cluster):
    cluster.account.client("s3").delete_object(Bucket="ml-bucket", Key="trainyard/llm/deployment.json")
    found = details(cluster.deploy(spec_text(queue(nodes="{min: 0, max: 6, desired: 2}"))))
    assert found["changes"] == "node group training: maxSize 4 to 6"


def test_a_cluster_whose_api_does_not_answer_is_not_changed(cluster, programs):
    programs.api.refuses = "Unable to connect to the server: dial tcp: lookup x: no such host"
    cluster.account.client("eks")
    results = cluster.deploy(spec_text(queue(nodes="{min: 0, max: 4, desired: 1}")))
    assert statuses(results) == {"changes": "failed"}
    assert "cannot be reached" in failure(results)
