"""What somebody else has changed of stacks and of their resources, and what of it a deployment would take back.

An update of a stack writes the properties that it changes, whatever they are by then, and no others: it looks at the
former template, and not at the resources.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from trainyard.deploy.drift import DriftDifference, differences
from trainyard.deploy.record import read_record
from trainyard.deploy.stack_change import ReviewedStack, StackChange
from trainyard.deploy.stack_drift import AT_ONCE, given_parameters, stack_drift
from trainyard.deploy.work import Work
from trainyard.edge.aws.resource_drift import resource_drift
from trainyard.edge.aws.stacks import StackState, stack_template
from trainyard.errors import TrainyardError
from trainyard.stop_request import results_of

_LONGEST_WAIT_S = 180.0
_MOST = 5


def template_drift(work: Work, stacks: Sequence[StackState], unclear: list[str]) -> tuple[DriftDifference, ...]:
    """Return what was changed of templates and parameters; a sentence in ``unclear`` where nobody can say it.

    ``stacks`` are all of the account.
    """
    try:
        return stack_drift(work.account, work.bucket, read_record(work.account, work.bucket, work.name), stacks)
    except TrainyardError as error:
        unclear.append(f"whether somebody has changed the stacks of {work.name}: {error.problem}")
        return ()


def drift_of_resources(work: Work, states: Sequence[StackState], unclear: list[str]) -> tuple[DriftDifference, ...]:
    """Return what was changed of the resources of some stacks, past these; CloudFormation compares all at once."""

    def asked(state: StackState) -> list[DriftDifference]:
        try:
            found = resource_drift(work.account, state, _LONGEST_WAIT_S)
        except TrainyardError as error:
            unclear.append(f"whether somebody has changed resources of stack {state.name}: {error.problem}")
            return []
        return [DriftDifference(state.name, (one.resource, *one.path), one.expected, one.actual) for one in found]

    usable = [state for state in states if state.usable]
    return tuple(drift for found in results_of(asked, usable, AT_ONCE) for drift in found) if usable else ()


def taken_back(work: Work, drift: Sequence[DriftDifference]) -> Iterator[DriftDifference]:
    """Yield the changes of templates and parameters that the change sets of a review would take back."""
    coming: dict[str, list[DriftDifference]] = {}
    for difference in drift:
        reviewed = work.reviewed.get(difference.document)
        if reviewed is None or reviewed.change_set is None:
            continue
        if difference.document not in coming:
            coming[difference.document] = list(_coming(work, reviewed))
        if any(map(difference.overlaps, coming[difference.document])):
            yield difference


def written_over(changes: Sequence[StackChange], drift: Sequence[DriftDifference]) -> Iterator[DriftDifference]:
    """Yield the changes of resources that an update would write over: of properties that it changes itself."""
    for difference in drift:
        resource, *path = difference.path
        for change in changes:
            if (change.stack, change.resource) != (difference.document, resource):
                continue
            names = {changed.name for changed in change.properties}
            if change.fate == "replaced" or (change.fate == "changed" and (not path or path[0] in names)):
                yield difference
                break


def refuse_overwriting(work: Work, what: str, drift: Sequence[str]) -> None:
    """Raise TrainyardError where a deployment would take back what others have changed, and nobody has agreed."""
    if not drift or work.options.overwrite_changes:
        return
    more = f"; and {len(drift) - _MOST} more" if len(drift) > _MOST else ""
    raise TrainyardError(
        f"somebody has changed {what} since its last deployment, and this one would take that back: "
        f"{'; '.join(drift[:_MOST])}{more}",
        where=work.name,
        hint="nothing was touched; write into the spec what is to stay, or deploy with --overwrite-changes",
    )


def _coming(work: Work, reviewed: ReviewedStack) -> Iterator[DriftDifference]:
    """Yield what an update changes of the template and the parameters that a stack has now."""
    name, request = reviewed.state.name, reviewed.request
    template: Any = yaml.load(request.template, Loader=yaml.CSafeLoader)
    yield from differences(name, stack_template(work.account, name), template)
    for parameter, value in given_parameters(request).items():
        current = reviewed.state.parameters.get(parameter)
        if current != value:
            yield DriftDifference(name, ("Parameters", parameter), current, value)
