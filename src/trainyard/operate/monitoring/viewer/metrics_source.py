"""Where the metrics of a cluster are: at an address that was given, or where the outputs of its stacks say."""

from __future__ import annotations

from trainyard.edge.aws.account import Account, account
from trainyard.edge.aws.amazon_prometheus import amazon_prometheus
from trainyard.edge.aws.stacks import StackState, stacks_tagged
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_authorization import from_environment
from trainyard.edge.prometheus_connection import AMAZON, Connection, address
from trainyard.errors import InputError, TrainyardError
from trainyard.render.tags import CLUSTER, ENVIRONMENT

_PORT = 9090
WORKSPACE = "/workspaces/ws-"


def keeper_at(written: str, region: str | None, profile: str | None) -> PrometheusApi:
    """Return the Prometheus at an address. Raises InputError for what is none.

    An address of Amazon's is asked with the rights of an account, others with what the environment says. A workspace
    may have another name, such as that of a VPC endpoint; then the region has to be given.
    """
    url = address(written)
    named = AMAZON.match(url)
    if named:
        return amazon_prometheus(url, account(region or named[1], profile))
    if WORKSPACE in url and region is not None:
        return amazon_prometheus(url, account(region, profile))
    if profile is not None:
        hint = "leave it out, or give the address of a workspace of Amazon Managed Prometheus, and its --region"
        raise InputError(f"{url} is not asked with the rights of an account", where="--profile", hint=hint)
    return PrometheusApi(Connection(url, from_environment()))


def keeper_of(name: str, where: Account) -> PrometheusApi:
    """Return the workspace of a cluster, whoever may be asked for it; of its environment, where that has it.

    Raises TrainyardError where there is none: for an instance of one's own, with the command that leads there.
    """
    stacks = _stacks(name, where)
    outputs = {key: value for stack in stacks for key, value in stack.outputs.items()}
    if endpoint := outputs.get("AMPPrometheusEndpoint"):
        return amazon_prometheus(endpoint, where)
    if instance := outputs.get("MonitoringInstanceId"):
        problem = f"the metrics of {name} lie on the instance {instance}, which only a forwarded port leads to"
        raise TrainyardError(problem, where=name, hint=_forwarding(where, instance))
    problem = f"no stack of {name} in {where.region} says where its metrics are"
    hint = "check the name, --region and --profile; with monitoring.mode none there are no metrics"
    raise TrainyardError(problem, where="AMPPrometheusEndpoint", hint=hint)


def alert_topic(name: str, where: Account) -> str:
    """Return the topic of SNS that the alerts of a cluster reach. Raises TrainyardError where it has none."""
    topics = [stack.outputs["AlertTopicArn"] for stack in _stacks(name, where) if "AlertTopicArn" in stack.outputs]
    if not topics:
        hint = "check the name, --region and --profile; with monitoring.mode none nobody is told of anything"
        raise TrainyardError(f"no stack of {name} in {where.region} has a topic", where="AlertTopicArn", hint=hint)
    return topics[-1]


def _stacks(name: str, where: Account) -> list[StackState]:
    own = [*stacks_tagged(where, CLUSTER, name), *stacks_tagged(where, ENVIRONMENT, name)]
    environments = {stack_state.tags[ENVIRONMENT] for stack_state in own if ENVIRONMENT in stack_state.tags}
    shared = [stack for each in sorted(environments - {name}) for stack in stacks_tagged(where, ENVIRONMENT, each)]
    return [*(stack_state for stack_state in shared if CLUSTER not in stack_state.tags), *own]


def _forwarding(where: Account, instance: str) -> str:
    """Return the commands that lead there.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
    """
    profile = "" if where.profile is None else f" --profile {where.profile}"
    return (
        f"run `aws ssm start-session --region {where.region}{profile} --target {instance} --document-name "
        f"AWS-StartPortForwardingSession --parameters portNumber={_PORT},localPortNumber={_PORT}`, and in another "
        f"terminal `trainyard monitor view --prometheus http://localhost:{_PORT} --region {where.region}`"
    )
