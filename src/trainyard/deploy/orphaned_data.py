"""Data that no stack has any more, and that goes on costing: named at each deployment until somebody deletes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.deploy.release_notice import kinds
from trainyard.deploy.work import Work
from trainyard.edge.aws.data_stores import DataStore, data_stores
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.stack_events import stack_resources
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.stop_request import results_of

_AT_ONCE = 4
"""Lists of resources that are asked for side by side."""

# By the kinds of what stacks make and retain. Other volumes, and logs, are also made by what runs in a cluster.
_DELETE = {
    "fsx": "aws fsx delete-file-system --file-system-id {id}",
    "efs": "aws efs delete-file-system --file-system-id {id}",
    "monitoring-volume": "aws ec2 delete-volume --volume-id {id}",
    "prometheus": "aws amp delete-workspace --workspace-id {id}",
    "registry": "aws ecr delete-repository --force --repository-name {id}",
    "snapshot": "aws ec2 delete-snapshot --snapshot-id {id}",
}
_TAKE_OVER = {"monitoring-volume": "write `monitoring.volume_id: {id}` to use it again; "}


def orphaned_data(work: Work, stacks: Iterable[str]) -> tuple[Finding, ...]:
    """Return a finding for each; ``stacks`` are the names of those that there are. Nothing where nobody may look."""
    try:
        stores = data_stores(work.account, work.name, work.owns, _possible_kinds(work.required_spec()))
        return tuple(_findings(work, stores, stacks)) if stores else ()
    except NotAllowedError:
        return ()


def _possible_kinds(spec: Spec) -> set[str]:
    """Return the kinds that stacks of the spec's platform make: each costs a question at every deployment."""
    platform = platform_of(spec)
    impossible = {"registry": not platform.has_batch, "monitoring-volume": not platform.can_host_monitoring}
    return {kind for kind in _DELETE if not impossible.get(kind, False)}


def _findings(work: Work, stores: list[DataStore], stacks: Iterable[str]) -> Iterator[Finding]:
    # CloudFormation knows a workspace by its ARN, which ends in its id.
    listed = results_of(lambda stack: stack_resources(work.account, stack), stacks, _AT_ONCE)
    of_stacks = {resource.physical_id.rpartition("/")[2] for resources in listed for resource in resources}
    taken_over = work.required_spec().monitoring.volume_id
    for store in stores:
        if store.id not in (*of_stacks, taken_over):
            message = f"{store} belongs to no stack of {work.name} any more, and goes on costing"
            command = f"{_DELETE[store.kind].format(id=store.id)} --region {work.account.region}"
            take_over = _TAKE_OVER.get(store.kind, "").format(id=store.id)
            remedy = f"{take_over}where nobody needs it: `{command}`"
            yield finding_of(kinds(), "data-left-behind", message, remedy, file=store.id)
