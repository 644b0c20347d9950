"""Looks at a cluster, whoever made it, or at an environment: few questions, as many as possible at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import yaml

from trainyard.deploy.drift import DriftDifference
from trainyard.deploy.record import Deployment, read_record
from trainyard.deploy.stack_drift import stack_drift
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.resource_drift import resource_drift
from trainyard.edge.aws.stacks import StackState, all_stacks
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.access import monitoring_access
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_stacks import bucket_in_tags, stacks_of_cluster, with_environment
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.concerns import concerns
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platform_parts import StatusQuery
from trainyard.platform_table import ENVIRONMENT, PLATFORMS


def status(
    name: str,
    account: Account,
    bucket: str | None = None,
    *,
    kubectl: KubectlOf = kubectl_of,
    detects_drift: bool = False,
) -> Status:
    """Return the state of a cluster, whoever made it, or of an environment.

    ``bucket`` is the one that its spec named, where no stack is left to say so; ``kubectl`` gives what asks the API of
    a Kubernetes cluster. What may not be looked at is named in ``unknown``. With ``detects_drift``, CloudFormation
    compares every resource of its stacks with their templates, which takes minutes.
    Raises TrainyardError where there is nothing of that name, or nothing may be looked at.
    """
    _ = account.id  # who cannot sign in is told so once, and not for each part
    request = StatusRequest(name, account, kubectl)
    try:
        status = _status(request, bucket)
        drift = _resource_drift(request, status.stacks) if detects_drift else ()
        status = replace(status, drift=(*status.drift, *drift), unknown=request.unknown)
        return replace(status, concerns=concerns(account, status))
    finally:
        request.close()


def _status(request: StatusRequest, bucket: str | None) -> Status:
    name, account = request.name, request.account
    stacks_asked = request.ask("stacks", partial(all_stacks, account))
    queries = {platform.name: platform.status(request) for platform in (ENVIRONMENT, *PLATFORMS.values())}
    stacks = stacks_asked() or []
    bucket = bucket or bucket_in_tags(stacks, name) or s3.own_bucket(account)
    record = request.ask("record", partial(read_record, account, bucket, name))()
    query = _recognised(queries, stacks, record)
    own_stacks = stacks_of_cluster(stacks, name) if query is None else query.own_stacks(stacks)
    if query is None and not own_stacks and record is None:
        raise _not_found(request)
    # What was asked of other platforms says nothing here.
    request.forget_unknown_but("stacks", "record", *(["nodes"] if query is None else []))
    access = request.ask("monitoring", partial(monitoring_access, account, with_environment(stacks, own_stacks)))
    if record is not None and record.stage in ("prepared", "deploying"):
        request.unknown["changes of others"] = "its deployment is not over, and what it leaves is not known before"
    drift = request.ask("changes of stacks", partial(stack_drift, account, bucket, record, stacks))
    status = Status(name, account.region, account.clock.now(), record, own_stacks)
    status = _with_shared_parts(request, status) if query is None else query.look(status, bucket)
    drifted = (*status.drift, *(drift() or ()))
    return replace(status, monitoring=access(), drift=drifted)


def _resource_drift(request: StatusRequest, stacks: Sequence[StackState]) -> Iterator[DriftDifference]:
    """Yield what was changed of resources past their stacks, all of which are asked about at once."""
    asked = [
        (stack, request.ask(f"resources of {stack.name}", partial(resource_drift, request.account, stack)))
        for stack in stacks
    ]
    for stack, answer in asked:
        for drift in answer() or ():
            yield DriftDifference(stack.name, (drift.resource, *drift.path), drift.expected, drift.actual)


def _recognised(
    queries: dict[str, StatusQuery], stacks: Sequence[StackState], record: Deployment | None
) -> StatusQuery | None:
    """Return the query of the platform whose cluster it is: by its stacks, its record, or what else there is of it."""
    by_stacks = next((query for query in queries.values() if query.owns(query.own_stacks(stacks))), None)
    recorded = by_stacks or queries.get(_recorded_platform(record) or "")
    return recorded or next((query for query in queries.values() if query.exists(query.own_stacks(stacks))), None)


def _recorded_platform(record: Deployment | None) -> str | None:
    """Return the platform of the spec that was deployed; None where the record does not say."""
    if record is None:
        return None
    try:
        written = yaml.load(record.spec_text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError):
        return None
    platform = written.get("platform") if isinstance(written, dict) else None
    return platform if isinstance(platform, str) else None


def _with_shared_parts(request: StatusRequest, status: Status) -> Status:
    """Return the status of what no platform knows: of a cluster that is not there yet, or not any more."""
    failed = request.ask("failures of stacks", partial(failures.of_stacks, request.account, status.stacks))
    storage = file_systems.ask(request, {})
    return replace(status, file_systems=storage(), failures=failed() or ())


def _not_found(request: StatusRequest) -> TrainyardError:
    """Return the error of a name that nothing has, or of which nothing may be looked at."""
    name, account = request.name, request.account
    if why := request.unknown.get("stacks") or request.unknown.get("nodes"):
        return TrainyardError(
            f"nobody can tell whether there is a cluster {name}: {why}",
            where=f"account {account.id}",
            hint="ask for cloudformation:DescribeStacks and ec2:DescribeInstances, or choose another --profile",
        )
    return TrainyardError(
        f"there is no cluster {name} in {account.region}, and no environment",
        where=f"account {account.id}",
        hint="check the name, --region and --profile",
    )
