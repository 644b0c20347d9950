"""Tunnels to Grafana and Prometheus inside a Kubernetes cluster: kubectl leads to the service that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.aws.nodes import kubernetes_instances
from trainyard.edge.kubernetes.documents import Document, labels, number, parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.errors import InputError
from trainyard.operate.connect.forwarding import TunnelRequest
from trainyard.operate.connect.monitoring_stack import monitoring_stack
from trainyard.platforms.eks.rendering.names import PROMETHEUS

# What charts call their services: https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
_NAME_LABEL = "app.kubernetes.io/name"
_WEB_PORTS = ("http-web", "web", "http", "service", "grafana", "prometheus")
_AGENTS_PORT = 9090  # of platforms/eks/rendering/manifests/prometheus-agent.yaml


class ClusterTunnel(NamedTuple):
    """A tunnel into a cluster as it will be."""

    cluster: str
    context: str
    """The ARN of the cluster, as its context in a kubeconfig is called."""
    namespace: str
    target: str
    """Such as service/grafana."""
    port: int
    tunnel_request: TunnelRequest
    note: str | None = None
    """What there is to know of it; None where nothing is."""
    kubectl_of: KubectlOf = kubectl_of

    @property
    def url(self) -> str:
        """Return where it begins on this machine."""
        return f"http://localhost:{self.tunnel_request.local_port}"

    @property
    def end(self) -> str:
        """Return where it ends, in words."""
        return f"{self.target} in {self.namespace}"

    @property
    def end_values(self) -> dict[str, str]:
        """Return where it ends, as values for JSON."""
        return {"namespace": self.namespace, "target": self.target}

    @property
    def program(self) -> str:
        """Return what holds it."""
        return "kubectl port-forward"

    @property
    def ports(self) -> str:
        """Return the ports as kubectl takes them."""
        return f"{self.tunnel_request.local_port}:{self.port}"

    def command(self, account: Account) -> tuple[str, ...]:
        """Return the words of the command that does the same."""
        del account  # the context names it
        place = ("--context", self.context, "--namespace", self.namespace)
        return ("kubectl", *place, "port-forward", self.target, self.ports)

    def hold(
        self, account: Account, output: IO[str] | int, tell: Callable[[str], None], opened: Callable[[], None]
    ) -> int:
        """Hold it until Ctrl-C, and return the exit status of what held it."""
        del output, tell  # kubectl prints on standard error by itself
        with self.kubectl_of(account, self.cluster) as kubectl:
            opened()
            return kubectl.forward(self.target, self.namespace, self.ports)


def cluster_tunnel(
    account: Account, cluster: str, request: TunnelRequest, *, kubectl: KubectlOf = kubectl_of
) -> ClusterTunnel | None:
    """Return a tunnel to grafana or prometheus inside an EKS cluster; None where the cluster is none of EKS.

    Raises InputError where the cluster has no such thing, TrainyardError where its API does not answer.
    """
    name = str(request.name)
    if not kubernetes_instances(account, cluster):
        return None
    eks_cluster = find_cluster(account, cluster)
    if eks_cluster is None:
        return None
    _refuse_managed(account, cluster, name)
    with kubectl(account, cluster) as client:
        for service in client.get("services"):
            if _is_called(service, name) and (port := _port(service)):
                place = text(service, "metadata", "namespace"), f"service/{text(service, 'metadata', 'name')}"
                return ClusterTunnel(cluster, eks_cluster.arn, *place, port, request, kubectl_of=kubectl)
        if name == "prometheus" and _has_agent(client):
            note = (
                "it is an agent, which shows its targets and answers no queries; "
                f"`trainyard monitor view {cluster} --region {account.region}` shows the dashboards"
            )
            place = PROMETHEUS.namespace, f"deployment/{PROMETHEUS.name}"
            return ClusterTunnel(cluster, eks_cluster.arn, *place, _AGENTS_PORT, request, note, kubectl)
    hint = "`kubectl get services --all-namespaces` lists what there is; --node and a port lead to a node"
    raise InputError(f"{cluster} has no {name} inside", where="--forward", hint=hint)


def _refuse_managed(account: Account, cluster: str, name: str) -> None:
    """Raise InputError where the cluster's Grafana is a workspace of AWS, which needs no tunnel."""
    stack = monitoring_stack(account, cluster)
    workspace = None if stack is None else stack.outputs.get("ManagedGrafanaWorkspaceEndpoint")
    if name == "grafana" and workspace:
        problem = f"Grafana of {cluster} is a workspace of Amazon Managed Grafana, which needs no tunnel"
        raise InputError(problem, where="--forward", hint=f"open https://{workspace}")


def _is_called(service: Document, name: str) -> bool:
    named = text(service, "metadata", "name")
    return name in (text(labels(service), _NAME_LABEL), named) or named.endswith(f"-{name}")


def _port(service: Document) -> int:
    """Return the port where a browser is answered; zero where the service has none."""
    ports: list[dict[str, Any]] = parts(service, "spec", "ports")
    named = [port for port_name in _WEB_PORTS for port in ports if text(port, "name") == port_name]
    return next((number(one, "port") for one in (*named, *ports)), 0)


def _has_agent(kubectl: Kubectl) -> bool:
    found = kubectl.get("deployments", namespace=PROMETHEUS.namespace)
    return any(text(one, "metadata", "name") == PROMETHEUS.name for one in found)
