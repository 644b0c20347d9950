"""What an update takes away that nobody can make again: refused unless it is given up by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trainyard.deploy.stack_change import StackChange
from trainyard.deploy.stack_resources import stack_resource
from trainyard.deploy.work import Work
from trainyard.edge.aws import ec2
from trainyard.edge.aws.calls import by_values
from trainyard.edge.aws.change_sets import ResourceChange
from trainyard.edge.aws.data_stores import data_stores
from trainyard.edge.aws.stacks import stacks_tagged
from trainyard.errors import TrainyardError
from trainyard.render.stand_ins import in_words
from trainyard.render.tags import CLUSTER, ENVIRONMENT

_DAY_S = 24 * 3600
_INSTANCE = "AWS::EC2::Instance"
# CloudFormation makes the new one before it deletes the former, and FSx takes neither a directory nor a bucket twice:
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html
_ONE_LINK = (
    "nothing was touched; FSx links a directory to one bucket at a time: deploy once without that data_repository, "
    "which unlinks it and leaves the files, and then with the new one (a link of an earlier version has data_path: /)"
)
_ONLY_LARGER = "nothing was touched; FSx makes file systems only larger: put the size back in the spec"


def changes_of(work: Work, changes: Iterable[ResourceChange]) -> tuple[StackChange, ...]:
    """Return changes with what the resources hold, and how much of it where any is lost."""
    reviewed = tuple(_change(work, change) for change in changes)
    if not any(_loses_data(change) for change in reviewed):
        return reviewed
    stores = {store.id: store.what for store in data_stores(work.account, work.name, work.owns)}
    return tuple(_with_size(work, change, stores) if _loses_data(change) else change for change in reviewed)


def _change(work: Work, change: ResourceChange) -> StackChange:
    known = stack_resource(change.type)
    properties = tuple(one._replace(after=in_words(one.after)) for one in change.properties)
    reviewed = StackChange(*change[:-1], known.holds, known.what, properties)
    if change.type == _INSTANCE and reviewed.is_loss and _has_own_volume(work, change.id):
        return replace(reviewed, holds="nothing", what="")
    return reviewed


def _has_own_volume(work: Work, instance: str) -> bool:
    """Return whether an instance has a volume that outlives it, on which the metrics lie then."""
    described = ec2.instances(work.account, by_values(instance_id=(instance,)))
    mappings = [mapping["Ebs"] for machine in described for mapping in machine["BlockDeviceMappings"]]
    return not all(mapping["DeleteOnTermination"] for mapping in mappings)


def _loses_data(change: StackChange) -> bool:
    return change.is_loss and change.holds == "data"


def _with_size(work: Work, change: StackChange, stores: Mapping[str, str]) -> StackChange:
    """Return a change with the size of what is lost. The ARN by which a stack knows a workspace ends in its id."""
    size = stores.get(change.id) or stores.get(change.id.rpartition("/")[2])
    if change.type == _INSTANCE:
        size = _instance_storage(work, change.id)
    return change if size is None else replace(change, what=f"{change.what} ({size})")


def _instance_storage(work: Work, instance: str) -> str | None:
    """Return how large the volumes of an instance are, and for how long it has written to them."""
    for described in ec2.instances(work.account, by_values(instance_id=(instance,))):
        ids = tuple(mapping["Ebs"]["VolumeId"] for mapping in described["BlockDeviceMappings"])
        gib = sum(volume["Size"] for volume in ec2.volumes(work.account, ids).values())
        days = int((work.account.clock.now() - described["LaunchTime"].timestamp()) / _DAY_S)
        return f"{gib:,} GiB, in use for {days:,} day{'s' * (days != 1)}"
    return None


def refuse_losses(work: Work, changes: Sequence[StackChange]) -> None:
    """Raise TrainyardError where an update would take away what everything stands in, or data that is not given up.

    What clusters use of an environment cannot be given up.
    """
    if foundations := [change for change in changes if change.is_loss and change.holds == "foundation"]:
        raise TrainyardError(_told(work, foundations), where=work.name, hint=_way_round(work))
    if links := _links_in_the_way(changes):
        raise TrainyardError(_told(work, links), where=work.name, hint=_ONE_LINK)
    if smaller := [change for change in changes if change.shrinks]:
        raise TrainyardError(_told(work, smaller), where=work.name, hint=_ONLY_LARGER)
    if impossible := [change for change in changes if change.is_impossible]:
        problem = f"CloudFormation would change in place what cannot be changed: {'; '.join(map(str, impossible))}"
        raise TrainyardError(problem, where=work.name, hint=_way_round(work))
    data = [change for change in changes if _loses_data(change)]
    if not data:
        return
    if work.tag == ENVIRONMENT and (users := users_of(work)):
        problem = f"{_told(work, data)}; clusters use the environment: {', '.join(users)}"
        raise TrainyardError(problem, where=work.name, hint="put it back in the spec, or destroy the clusters first")
    if missing := [change for change in data if change.resource not in work.options.give_up]:
        words = " ".join(f"--give-up {change.resource}" for change in missing)
        hint = f"put it back in the spec, move the data away, or deploy with {words}; --yes gives nothing up"
        raise TrainyardError(_told(work, missing), where=work.name, hint=hint)


def _links_in_the_way(changes: Sequence[StackChange]) -> list[StackChange]:
    """Return the links that others may take the place of. A change set does not say where a new one leads."""
    links = [change for change in changes if change.holds == "link"]
    is_added = any(change.fate == "added" for change in links)
    return [change for change in links if change.fate == "replaced" or (is_added and change.fate == "deleted")]


def _way_round(work: Work) -> str:
    """Say what is left to do about what no update changes; of an environment, for the clusters that use it as well."""
    begin = "nothing was touched; `trainyard plan` lists what cannot be changed later; put it back in the spec, or make"
    if work.tag != ENVIRONMENT:
        return f"{begin} a second cluster under another name and move the data"
    users = users_of(work)
    to_do = f", deploy anew in it {', '.join(users)}, which use this one," if users else ""
    return f"{begin} a second environment under another name{to_do} and move the data"


def _told(work: Work, changes: Sequence[StackChange]) -> str:
    return f"the spec would take away what {work.name} has: {'; '.join(map(str, changes))}"


def users_of(work: Work) -> list[str]:
    """Return the clusters that use the environment that is worked on."""
    tagged = stacks_tagged(work.account, ENVIRONMENT, work.name)
    return sorted({stack.tags[CLUSTER] for stack in tagged if CLUSTER in stack.tags})
