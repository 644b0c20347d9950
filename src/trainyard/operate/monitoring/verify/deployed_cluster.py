"""What there is to verify of a cluster that is deployed: its spec, its stacks' outputs, and where its metrics are."""

from __future__ import annotations

from collections.abc import Mapping

from trainyard.deploy.record import read_record
from trainyard.deploy.work import folder
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import amazon_prometheus
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_authorization import from_environment
from trainyard.edge.prometheus_connection import AMAZON, Connection, address
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

_PORT = 9090


def deployed_situation(
    name: str, account: Account, bucket: str, prometheus: str | None, *, opens_grafana: bool = False
) -> Situation:
    """Return it. Raises TrainyardError where nobody remembers the cluster, or it measures nothing."""
    spec = deployed_spec(name, account, bucket)
    outputs = outputs_of(account, spec)
    keeper = _keeper(spec, account, outputs, prometheus)
    return Situation(spec, keeper, InAccount(account, spec, outputs), opens_grafana)


def deployed_spec(name: str, account: Account, bucket: str) -> Spec:
    """Return the spec that a cluster was deployed with."""
    record = read_record(account, bucket, name)
    if record is None:
        raise TrainyardError(
            f"nobody remembers a cluster {name} in {account.region}",
            where=f"s3://{bucket}/{folder(name)}",
            hint="check the name, --region and --profile, name the bucket of its spec with --bucket, or use --spec",
        )
    spec = parse(record.spec_text, "the spec as deployed").spec
    if spec.is_environment:
        raise TrainyardError(f"{name} is an environment and has no nodes", where=name, hint="name a cluster in it")
    expect_measuring(spec)
    return spec


def expect_measuring(spec: Spec) -> None:
    """Raise TrainyardError where nothing is measured, so that there is nothing to verify."""
    if spec.monitoring.mode == "none":
        problem = f"{spec.name} measures nothing: its monitoring.mode is none"
        raise TrainyardError(
            problem,
            where="monitoring.mode",
            hint="write another mode into the spec, and run `trainyard deploy` again, which adds it",
        )


def outputs_of(account: Account, spec: Spec) -> dict[str, str]:
    """Return the outputs of a cluster's stacks, and of those of the environment that it lives in."""
    own = stacks_tagged(account, CLUSTER, spec.name)
    shared = [] if spec.environment is None else stacks_tagged(account, ENVIRONMENT, spec.environment)
    stacks = [*(stack_state for stack_state in shared if CLUSTER not in stack_state.tags), *own]
    return {key: value for stack in stacks if stack.usable for key, value in stack.outputs.items()}


def plain_keeper(prometheus: str) -> PrometheusApi:
    """Return a Prometheus of one's own, asked with what the environment says of who asks."""
    return PrometheusApi(Connection(address(prometheus), from_environment()))


def _keeper(spec: Spec, account: Account, outputs: Mapping[str, str], prometheus: str | None) -> PrometheusApi:
    """Return whoever keeps the metrics: at the address that was given, else the workspace of the stack."""
    if prometheus is not None:
        workspace = AMAZON.match(address(prometheus))
        return amazon_prometheus(prometheus, account) if workspace else plain_keeper(prometheus)
    if spec.monitoring.mode == "self-hosting":
        raise InputError(
            f"the metrics of {spec.name} lie on an instance that nobody reaches from outside",
            where="--prometheus",
            hint=f"{_forwarding(account, outputs)}; then add --prometheus http://localhost:{_PORT}",
        )
    endpoint = outputs.get("AMPPrometheusEndpoint")
    if endpoint is None:
        raise TrainyardError(
            f"no stack of {spec.name} says where its metrics are",
            where="AMPPrometheusEndpoint",
            hint=f"`trainyard status {spec.environment or spec.name} --region {account.region}` shows what is there",
        )
    return amazon_prometheus(endpoint, account)


def _forwarding(account: Account, outputs: Mapping[str, str]) -> str:
    """Return the command that forwards the port.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
    """
    instance = outputs.get("MonitoringInstanceId", "INSTANCE")
    profile = "" if account.profile is None else f" --profile {account.profile}"
    return (
        f"run in another terminal: aws ssm start-session --region {account.region}{profile} --target {instance} "
        f"--document-name AWS-StartPortForwardingSession --parameters portNumber={_PORT},localPortNumber={_PORT}"
    )
