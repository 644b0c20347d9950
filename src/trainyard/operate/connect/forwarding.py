"""Tunnels: which port of which instance comes to which port of this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import IO, NamedTuple, Protocol

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_sessions import ONLINE, SessionRequest
from trainyard.errors import InputError
from trainyard.operate.connect.agents import known_agent_state
from trainyard.operate.connect.monitoring_stack import made_by_trainyard, monitoring_stack
from trainyard.operate.connect.node_access import NodeRequest
from trainyard.operate.connect.session import aws_command, open_session
from trainyard.operate.connect.target import HEAD, Target, require_running
from trainyard.operate.connect.target_search import find_target
from trainyard.platform_table import PLATFORMS

NAMED_PORTS = {"grafana": 3000, "prometheus": 9090}
"""Where they listen by default: https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/#http_port and
https://prometheus.io/docs/prometheus/latest/command-line/prometheus/"""
_WRITTEN = re.compile(rf"({'|'.join(NAMED_PORTS)}|[0-9]{{1,5}})(?::([0-9]{{1,5}}))?")
_LARGEST_PORT = 65535


class TunnelRequest(NamedTuple):
    """A tunnel as it was asked for."""

    name: str | None
    """grafana or prometheus; None where a port was named."""
    port: int
    local_port: int


class Tunnel(Protocol):
    """A tunnel as it will be."""

    @property
    def tunnel_request(self) -> TunnelRequest:
        """Return what was asked for."""

    @property
    def port(self) -> int:
        """Return the port where it ends."""

    @property
    def url(self) -> str:
        """Return where it begins on this machine."""

    @property
    def end(self) -> str:
        """Return where it ends, in words."""

    @property
    def end_values(self) -> dict[str, str]:
        """Return where it ends, as values for JSON."""

    @property
    def note(self) -> str | None:
        """Return what there is to know of it; None where nothing is."""

    @property
    def program(self) -> str:
        """Return what holds it."""

    def command(self, account: Account) -> tuple[str, ...]:
        """Return the words of the command that does the same."""

    def hold(
        self, account: Account, output: IO[str] | int, tell: Callable[[str], None], opened: Callable[[], None]
    ) -> int:
        """Hold it until Ctrl-C, and return the exit status of what held it.

        ``opened`` is called once it is there, ``tell`` with what there is to know, and ``output`` gets what the program
        prints.
        """


class NodeTunnel(NamedTuple):
    """A tunnel to an instance, held by Systems Manager."""

    target: Target
    tunnel_request: TunnelRequest
    through: Target | None = None
    """The head node, where the target has no session of its own."""

    @property
    def port(self) -> int:
        """Return the port where it ends."""
        return self.tunnel_request.port

    @property
    def end(self) -> str:
        """Return where it ends, in words."""
        return self.target.words

    @property
    def end_values(self) -> dict[str, str]:
        """Return where it ends, as values for JSON."""
        return {"instance": self.target.instance}

    @property
    def program(self) -> str:
        """Return what holds it."""
        return "session-manager-plugin"

    @property
    def url(self) -> str:
        """Return where it begins on this machine."""
        return f"http://localhost:{self.tunnel_request.local_port}"

    @property
    def request(self) -> SessionRequest:
        """Return what is asked of Systems Manager.

        https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
        """
        ports = {"portNumber": str(self.tunnel_request.port), "localPortNumber": str(self.tunnel_request.local_port)}
        if self.through is None:
            return SessionRequest(self.target.instance, "AWS-StartPortForwardingSession", ports)
        there = {"host": self.target.private_address or "", **ports}
        return SessionRequest(self.through.instance, "AWS-StartPortForwardingSessionToRemoteHost", there)

    @property
    def note(self) -> str | None:
        """Return what there is to know of it; None where nothing is."""
        if self.through is not None:
            return f"{self.target.words} has no session of its own: this goes through {self.through.words}"
        if self.tunnel_request.name == "prometheus" and self.target.role == "HeadNode":
            return (
                "where the head node's Prometheus sends its metrics elsewhere, it shows targets and answers no queries"
            )
        return None

    def command(self, account: Account) -> tuple[str, ...]:
        """Return the words of the command that does the same."""
        return aws_command(account, self.request)

    def hold(
        self, account: Account, output: IO[str] | int, tell: Callable[[str], None], opened: Callable[[], None]
    ) -> int:
        """Hold it until Ctrl-C, and return the exit status of what held it."""
        return open_session(account, self.request, output=output, tell=tell, opened=opened)


def find_tunnel(account: Account, request: NodeRequest, written: str) -> Tunnel:
    """Return a tunnel to grafana, prometheus or PORT, each with :LOCALPORT or without.

    Raises InputError for what is no tunnel or is not there, TrainyardError where the instance does not run, or where
    the cluster itself does not answer that has it inside.
    """
    tunnel_request = tunnel_wanted(written)
    if tunnel_request.name is not None and request.node is None:
        searches = (platform.find_tunnel for platform in PLATFORMS.values() if platform.find_tunnel is not None)
        tunnels = (search(account, request.cluster, tunnel_request) for search in searches)
        if (tunnel := next((tunnel for tunnel in tunnels if tunnel is not None), None)) is not None:
            return tunnel
    return tunnel_to_node(account, request.cluster, tunnel_request, request.node)


def tunnel_wanted(written: str) -> TunnelRequest:
    """Return what is meant by grafana, prometheus or PORT, each with :LOCALPORT or without.

    Raises InputError for anything else.
    """
    match = _WRITTEN.fullmatch(written)
    if match is not None:
        what, local = match.groups()
        port = NAMED_PORTS.get(what) or int(what)
        local_port = port if local is None else int(local)
        if 0 < port <= _LARGEST_PORT and 0 < local_port <= _LARGEST_PORT:
            return TunnelRequest(what if what in NAMED_PORTS else None, port, local_port)
    hint = "grafana, prometheus or PORT, with :LOCALPORT for another port of this machine, such as grafana:13000"
    raise InputError(f"{written!r} is no tunnel", where="--forward", hint=hint)


def tunnel_to_node(account: Account, cluster: str, request: TunnelRequest, node: str | None) -> NodeTunnel:
    """Return a tunnel to a node; Grafana and Prometheus are looked for where the cluster has them.

    Raises InputError where the cluster has no such thing, TrainyardError where the instance does not run.
    """
    if node is None and request.name is not None:
        node = _home_of(account, cluster, request.name)
    target = require_running(find_target(account, cluster, node), account.region)
    # Grafana and Prometheus listen on their own machine alone, so that no other can lead there.
    if target.role not in ("Compute", "LoginNode") or known_agent_state(account, target.instance) in (ONLINE, ""):
        return NodeTunnel(target, request)
    return NodeTunnel(target, request, require_running(find_target(account, cluster, HEAD), account.region))


def _home_of(account: Account, cluster: str, name: str) -> str:
    stack = monitoring_stack(account, cluster)
    if stack is None:
        if made_by_trainyard(account, cluster):
            hint = f"it was deployed with `monitoring.mode: none`; --node says where {name} is, if it is anywhere"
            raise InputError(f"{cluster} has no {name}", where="--forward", hint=hint)
        return HEAD
    if "MonitoringInstanceId" in stack.outputs:
        return "monitoring"
    if name == "prometheus":
        return HEAD
    if workspace := stack.outputs.get("ManagedGrafanaWorkspaceEndpoint"):
        problem = f"Grafana of {cluster} is a workspace of Amazon Managed Grafana, which needs no tunnel"
        raise InputError(problem, where="--forward", hint=f"open https://{workspace}")
    hint = f"`trainyard monitor view {cluster} --region {account.region}` shows the dashboards on this machine"
    raise InputError(f"{cluster} has no Grafana", where="--forward", hint=hint)
