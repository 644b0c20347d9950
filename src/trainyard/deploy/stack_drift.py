"""How the templates and parameters of stacks differ now from those that the last deployment gave to CloudFormation.

Templates are not recorded: the version that deployed renders the recorded spec once more. What somebody has changed of
a resource past its stack, CloudFormation itself detects: ``aws cloudformation detect-stack-drift``.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import yaml

from trainyard.deploy.drift import DriftDifference, differences
from trainyard.deploy.expired_capacity import leave_out_expired
from trainyard.deploy.preflight_step import outputs_of
from trainyard.deploy.record import Deployment
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.steps.stack import kept_parameters
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.change_sets import StackRequest
from trainyard.edge.aws.stacks import StackState, stack_template
from trainyard.errors import TrainyardError
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks as stacks_of
from trainyard.render.stand_ins import Ids
from trainyard.render.tags import CLUSTER, ENVIRONMENT
from trainyard.spec.parsing import parse
from trainyard.stop_request import results_of
from trainyard.version import __version__

AT_ONCE = 8
"""Calls side by side; botocore keeps ten connections."""
_HIDDEN = "****"  # what AWS shows of a parameter with NoEcho


def stack_drift(
    account: Account, bucket: str, record: Deployment | None, stacks: Sequence[StackState]
) -> tuple[DriftDifference, ...]:
    """Return the differences; none while a deployment is not over.

    ``stacks`` are all of the account, since a cluster uses outputs of its environment.
    Raises NotAllowedError, or TrainyardError where AWS does not answer, and for a deployment by another version.
    """
    if record is None or record.stage != "deployed":
        return ()
    if record.trainyard_version != __version__:
        raise TrainyardError(
            f"it was deployed by trainyard {record.trainyard_version}, and only that version knows its templates",
            where=record.name,
        )
    spec = parse(record.spec_text, "the spec of the record").spec
    work = Work(account, record.name, spec, bucket, tag=ENVIRONMENT if spec.is_environment else CLUSTER)
    leave_out_expired(work)
    work.outputs.update({**outputs_of(work, stacks), **known_groups(work), "AssetsBucket": bucket})
    states = {stack.name: stack for stack in stacks if work.owns(stack.tags)}
    ids = Ids(work.outputs)
    recorded = stacks_of(spec, ids)
    unknown = frozenset(stand_in.value for stand_in in ids.in_order())

    def drift(rendered: Stack) -> list[DriftDifference]:
        state = states.get(rendered.name)
        if state is None:
            return [DriftDifference(rendered.name, ("stack",), rendered.name, None)]
        return list(_stack_differences(account, rendered, state, unknown)) if state.usable else []

    return tuple(difference for found in results_of(drift, recorded, AT_ONCE) for difference in found)


def _stack_differences(
    account: Account, rendered: Stack, state: StackState, unknown: Container[str]
) -> Iterator[DriftDifference]:
    recorded: Any = yaml.load(rendered.template, Loader=yaml.CSafeLoader)
    yield from differences(state.name, recorded, stack_template(account, state.name))
    given = {name: value for name, value in given_parameters(rendered).items() if value not in unknown}
    yield from parameter_differences(state, given, kept_parameters(rendered.kind, rendered.parameters, state))


def given_parameters(rendered: Stack | StackRequest) -> dict[str, str]:
    """Return what the parameters of a stack are: as the spec gives them, or by the defaults of the template."""
    template: Any = yaml.load(rendered.template, Loader=yaml.CSafeLoader)
    parameters = template.get("Parameters", {})
    defaults = {name: str(entry["Default"]) for name, entry in parameters.items() if "Default" in entry}
    return {**defaults, **rendered.parameters}


def parameter_differences(
    state: StackState, given: Mapping[str, str], kept: Mapping[str, str]
) -> Iterator[DriftDifference]:
    """Yield the parameters that are neither as the spec gives them nor, where a change keeps them, as they were."""
    for name, value in given.items():
        current = state.parameters.get(name)
        if current not in (None, value, kept.get(name), _HIDDEN):
            yield DriftDifference(state.name, ("Parameters", name), value, current)
