"""Clusters that the same spec was deployed as before its name or region was edited: they go on running beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainyard.deploy.plan.cost import hourly_cost
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.deploy.record import Deployment, key, parsed_record
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.s3_lookup import bucket_names, first_bytes, folders_in
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import SpecError, TrainyardError
from trainyard.finding import Path
from trainyard.platform_table import platform_of
from trainyard.render.shared_stacks import shared_stacks
from trainyard.rules import Problem
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

_FOLDER = "trainyard"
_MOST_RECORDS = 50
_MOST_BYTES = 4_000_000


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield name and region of a spec that is deployed for the first time, where it was deployed under others."""
    if context.replaces is not None or _is_deployed(context):
        return
    spec = context.spec
    for record, former in _of_this_region(context.account, spec):
        if _differ_little(spec, former):
            message = f"{record.name} was deployed from a spec that is the same but for its name"
            yield _problem(context, ("name",), message, record, former)
    for record, former in _of_other_regions(context.account, spec):
        message = f"a cluster of this name was deployed in {record.region}"
        yield _problem(context, ("region",), message, record, former)


def _problem(context: PreflightContext, path: Path, message: str, record: Deployment, former: Spec) -> Problem:
    cost = hourly_cost(former)
    price = f"USD {cost.least_usd_per_hour:,.2f} an hour and more" if cost.least_usd_per_hour else "money"
    message += f"; this is another one, and {record.name} in {record.region} goes on running and costs {price}"
    profile = f" --profile {context.account.profile}" if context.account.profile else ""
    command = f"trainyard destroy {record.name} --region {record.region}{profile}"
    return Problem(path, message, f"where nobody needs the former one, `{command}` removes it")


def _is_deployed(context: PreflightContext) -> bool:
    """Return whether anything has the name already; another preflight asks for the same stacks."""
    name = context.spec.name
    kinds = [*shared_stacks(), "nodes"]
    platform = platform_of(context.spec)
    clusters = [] if platform.cluster_step is None else [platform.cluster_stack(name)]
    return any(context.ask(find_stack, stack) for stack in (*clusters, *(f"{name}-{kind}" for kind in kinds)))


def _of_this_region(account: Account, spec: Spec) -> Iterator[tuple[Deployment, Spec]]:
    bucket = bucket_of(spec, account)
    for name in folders_in(account, bucket, _FOLDER, _MOST_RECORDS):
        if name != spec.name:
            yield from _deployed(account, bucket, name)


def _of_other_regions(account: Account, spec: Spec) -> Iterator[tuple[Deployment, Spec]]:
    """Yield the clusters of the same name whose records lie in the buckets of other regions, for who may list them."""
    own = s3.own_bucket(account)
    beginning = own.removesuffix(account.region)
    try:
        others = [name for name in bucket_names(account, beginning) if name != own]
    except NotAllowedError:
        return
    for bucket in others:
        yield from _deployed(replace(account, region=bucket.removeprefix(beginning)), bucket, spec.name)


def _deployed(account: Account, bucket: str, name: str) -> Iterator[tuple[Deployment, Spec]]:
    """Yield the record of a deployment that was not destroyed, where it can be read."""
    try:
        stored = first_bytes(account, bucket, key(name), _MOST_BYTES)
        record = None if stored is None else parsed_record(stored.content)
        if record is not None and record.name == name and record.stage in ("deployed", "deploying"):
            yield record, parse(record.spec_text, name).spec
    except (SpecError, TrainyardError, ValueError, KeyError, TypeError):
        return  # of another version, or nobody may read it


def _differ_little(spec: Spec, former: Spec) -> bool:
    """Return whether two specs have the same queues, and at most one other section differs beside their names."""
    if type(spec) is not type(former) or spec.queues != former.queues:
        return False
    names = (name for name in spec.field_names() if name != "name")
    return len([name for name in names if getattr(spec, name) != getattr(former, name)]) <= 1


PREFLIGHT = Preflight(
    severity="warning",
    title="Spec that is deployed already under another name or in another region",
    rationale=(
        "A cluster is known by its name and region. A spec in which either is edited describes another cluster: it is "
        "made beside the former one, which keeps running, costs what it did, and holds the nodes of its reservations."
    ),
    remedy="write the former name and region to change that cluster; or destroy it where the new one takes its place",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stacks.html",
    permissions=("cloudformation:DescribeStacks", "s3:GetObject", "s3:ListAllMyBuckets", "s3:ListBucket"),
    check=check,
)
