"""The instance that is meant of an EKS cluster, and tunnels into it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.kubernetes.scripted_kubectl import ScriptedKubectl
from tests.operate.eks_cluster import ARN, FORBIDDEN, UNREACHABLE, EksCluster, instance, instance_id, stack, workload
from trainyard.api.connect import NodeRequest, shell_on
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.forwarding import TunnelRequest
from trainyard.operate.connect.target_search import find_target
from trainyard.platforms.eks.connection.forwarding import ClusterTunnel, cluster_tunnel

IMAGE = "ami-0123456789abcdef0"
RUNNING = EksCluster(
    instances=(
        instance(1, "system", minutes_ago=10),
        instance(2, minutes_ago=60, ImageId=IMAGE),
        instance(3, minutes_ago=20, ImageId=IMAGE),
        instance(4, minutes_ago=5, ImageId=IMAGE, State={"Name": "pending", "Code": 0}),
    )
)
NONE = Refusal("ValidationError", "Stack with id llm-batch does not exist")


def account_of(
    of: EksCluster, image: str = "amazon-eks-node-al2023-x86_64-nvidia-1.35-v20261101", **answers: Any
) -> Any:
    described = {"Images": [{"ImageId": IMAGE, "Name": image}]}
    return of.account(**{"ec2__DescribeImages": described, **answers})


def test_without_a_name_it_is_the_newest_node_with_accelerators_that_runs():
    target = find_target(account_of(RUNNING), "llm", None)
    assert (target.instance, target.os) == (instance_id(3), "alinux2023")
    assert target.words == f"the node {instance_id(3)} of llm"


@pytest.mark.parametrize(
    ("node", "number"),
    [
        (instance_id(2), 2),
        ("10.0.16.2", 2),
        ("ip-10-0-16-2", 2),
        ("ip-10-0-16-2.us-east-2.compute.internal", 2),
        (f"{instance_id(2)}.us-east-2.compute.internal", 2),
        ("system", 1),
        ("p5", 3),
    ],
)
def test_a_node_goes_by_its_id_its_address_its_name_and_its_node_group(node: str, number: int):
    assert find_target(account_of(RUNNING), "llm", node).instance == instance_id(number)


@pytest.mark.parametrize(
    ("image", "user"),
    [
        ("amazon-eks-node-al2023-x86_64-nvidia-1.35-v20261101", "ec2-user"),
        ("amazon-eks-gpu-node-1.32-v20250501", "ec2-user"),
        ("ubuntu-eks/k8s_1.35/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server", "ubuntu"),
    ],
)
def test_a_shell_is_that_of_the_user_of_the_image(image: str, user: str):
    shell = shell_on(account_of(RUNNING, image), NodeRequest("llm"))
    assert (shell.user, shell.request.parameters) == (user, {"command": f"sudo su - {user}"})


@pytest.mark.parametrize(
    "answers",
    [{"ec2__DescribeImages": {"Images": []}}, {"ec2__DescribeImages": Refusal("UnauthorizedOperation", "no", 403)}],
    ids=["gone", "not allowed"],
)
def test_of_an_image_that_nobody_knows_the_user_has_to_be_named(answers):
    with pytest.raises(InputError, match=f"the default user of {instance_id(3)} is not known"):
        shell_on(account_of(RUNNING, **answers), NodeRequest("llm"))
    assert shell_on(account_of(RUNNING, **answers), NodeRequest("llm", user="ec2-user")).user == "ec2-user"


def test_a_cluster_without_nodes_is_one_clear_error():
    with pytest.raises(TrainyardError, match="no node of llm is there") as caught:
        find_target(account_of(RUNNING.but(instances=())), "llm", None)
    assert "trainyard status llm --region us-east-2" in (caught.value.hint or "")


def test_a_name_that_no_node_has_is_one_clear_error():
    with pytest.raises(InputError, match="llm has no node 'p6'") as caught:
        find_target(account_of(RUNNING), "llm", "p6")
    assert "it has the node groups p5, system" in (caught.value.hint or "")


def service(namespace: str, name: str, *ports: tuple[str, int], **labels: str) -> dict[str, Any]:
    spec = {"ports": [{"name": port, "port": number} for port, number in ports]}
    return {"kind": "Service", "metadata": {"namespace": namespace, "name": name, "labels": labels}, "spec": spec}


STACK = service("obs", "kube-prometheus-stack-prometheus", ("reloader-web", 8080), ("http-web", 9090))
GRAFANA = service("obs", "dash", ("service", 80), **{"app.kubernetes.io/name": "grafana"})


def into(of: EksCluster, name: str, kubectl: ScriptedKubectl | None = None, **answers: Any) -> ClusterTunnel | None:
    return cluster_tunnel(
        account_of(of, **answers), "llm", TunnelRequest(name, 0, 13000), kubectl=(kubectl or of.kubectl()).of
    )


@pytest.mark.parametrize(
    ("name", "target", "ports"),
    [("prometheus", "service/kube-prometheus-stack-prometheus", "13000:9090"), ("grafana", "service/dash", "13000:80")],
)
def test_a_tunnel_leads_to_the_service_inside_that_is_called_so(name: str, target: str, ports: str):
    found = into(RUNNING.with_inside(STACK, GRAFANA), name)
    assert found is not None
    assert (found.target, found.namespace, found.ports, found.url) == (target, "obs", ports, "http://localhost:13000")
    assert found.command(account_of(RUNNING)) == (
        "kubectl",
        "--context",
        ARN,
        "--namespace",
        "obs",
        "port-forward",
        target,
        ports,
    )


def test_our_own_agent_is_led_to_and_what_it_is_is_told():
    found = into(RUNNING.with_inside(workload("Deployment", "monitoring", "prometheus-agent", 1, 1)), "prometheus")
    assert found is not None
    assert (found.target, found.port) == ("deployment/prometheus-agent", 9090)
    assert "trainyard monitor view llm --region us-east-2" in (found.note or "")


def test_a_cluster_that_has_none_inside_is_one_clear_error():
    with pytest.raises(InputError, match="llm has no grafana inside"):
        into(RUNNING, "grafana")


def test_a_grafana_of_aws_needs_no_tunnel():
    outputs = {"MonitoringType": "amp+amg", "ManagedGrafanaWorkspaceEndpoint": "g-1.grafana-workspace.amazonaws.com"}
    made = stack("llm-monitoring") | {
        "Outputs": [{"OutputKey": key, "OutputValue": one} for key, one in outputs.items()]
    }
    with pytest.raises(InputError, match="is a workspace of Amazon Managed Grafana") as caught:
        into(RUNNING.but(stacks=(*RUNNING.stacks, made)), "grafana")
    assert caught.value.hint == "open https://g-1.grafana-workspace.amazonaws.com"


@pytest.mark.parametrize("refuses", [UNREACHABLE, FORBIDDEN])
def test_where_the_api_does_not_answer_the_error_says_so(refuses: str):
    with pytest.raises(TrainyardError, match=r"cannot be reached|could not list services"):
        into(RUNNING.but(refuses=refuses), "prometheus")


def test_a_cluster_of_another_platform_has_no_tunnel_inside_and_eks_is_not_asked():
    account = account_of(RUNNING.but(instances=()))
    assert cluster_tunnel(account, "llm", TunnelRequest("grafana", 3000, 3000)) is None
    assert "eks.DescribeCluster" not in account.calls


def test_a_tunnel_is_held_by_kubectl_with_its_own_words():
    of = RUNNING.with_inside(STACK)
    kubectl = of.kubectl()
    tunnel = into(of, "prometheus", kubectl)
    assert tunnel is not None
    kubectl.asked.clear()
    opened: list[bool] = []
    assert tunnel.hold(account_of(of), 2, print, lambda: opened.append(True)) == 0
    assert opened == [True]
    assert kubectl.asked == [("forward", "service/kube-prometheus-stack-prometheus", "obs", "13000:9090")]
