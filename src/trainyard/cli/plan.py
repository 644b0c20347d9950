"""``trainyard plan``."""

from __future__ import annotations

import sys
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.options import account_options, lock_option
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trainyard.api.plan import DeploymentPlan
    from trainyard.deploy.update_review import UpdateReview
    from trainyard.finding import Finding

# Ten thousand nodes take a second or two.
_MOST_SIMULATED = 100_000


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option(
    "--account/--no-account",
    "ask",
    default=None,
    help="Ask the AWS account what is there already, or ask none. Changes no resource. By default it is asked where "
    "configured credentials lead to one that has the cluster; those of an EC2 instance are used with --account.",
)
@click.option(
    "--drift",
    is_flag=True,
    help="Find what others have changed of the resources of all stacks, which takes minutes, and not only of those of "
    "stacks that change.",
)
@account_options
@click.option(
    "--simulate",
    "nodes",
    metavar="NODES",
    type=click.IntRange(1, _MOST_SIMULATED),
    help="Let so many compute nodes start at once, on a clock of their own, and say when they are ready.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which chances the simulated nodes draw.")
@lock_option
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str,
    *,
    region: str | None,
    profile: str | None,
    nodes: int | None,
    seed: int,
    lock: Path | None,
    ask: bool | None,
    drift: bool,
    as_json: bool,
) -> None:
    """Say what deploying a spec would do: steps, stacks, time, price an hour, and what cannot be changed later.

    Of a cluster that exists it says what a deployment would change, and whether it would be refused, also by what a
    deployment asks the account first: the exit status is 1 then. It makes change sets of the stacks, which it deletes
    again, and uploads a template that is too long for a request to the cluster's folder in the bucket, as deploying
    does. Needs no AWS account otherwise.

    --no-account never asks AWS. --account and --profile ask also where the cluster does not exist yet.

    Prices are list prices of the dates that their sources name; what is unknown is said to be.

    \b
    Example:
      trainyard plan cluster.yaml
      trainyard plan cluster.yaml --profile ml
      trainyard plan cluster.yaml --no-account
      trainyard plan cluster.yaml --simulate 1000
    """
    from trainyard.api.plan import plan_file

    if drift and ask is False:
        raise click.UsageError("--drift asks the account, which --no-account rules out.")
    checked, plan = plan_file(
        spec,
        asks_account=True if (profile is not None or drift) and ask is None else ask,
        drift=drift,
        tell=partial(print_text, err=True),
        region=region,
        profile=profile,
        simulated_nodes=nodes or 0,
        seed=seed,
        lock=lock,
    )
    if as_json:
        findings = [finding.as_json() for finding in checked.findings]
        findings += [finding.as_json() for finding in plan.review.findings] if plan and plan.review else []
        print_json({**(plan_values(plan) if plan else {"steps": []}), "findings": findings})
    else:
        _print(plan, checked.findings)
    sys.exit(1 if plan is None or plan.refusals or checked.has_errors else 0)


def _print(plan: DeploymentPlan | None, findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        print_text(finding_text(finding), err=True)
    if plan is None:
        print_text(f"nothing is planned: {severity_counts(findings)}", err=True)
        return
    for line in plan_lines(plan):
        print_text(line)


def plan_lines(plan: DeploymentPlan) -> Iterator[str]:
    """Yield a plan for people."""
    yield from _change_lines(plan)
    yield "Steps"
    width = max((len(step.name) for step in plan.steps), default=0)
    for number, step in enumerate(plan.steps, start=1):
        state = f"   {step.probe.state} {step.probe.detail}".rstrip() if step.probe else ""
        yield f"  {number:>2}. {step.name:<{width}}  {step.title}{state}"
    yield from _stack_lines(plan)
    yield from _time_lines(plan)
    yield from _metrics_lines(plan)
    yield from _cost_lines(plan)
    yield from _fixed_lines(plan)
    if plan.overlay:
        yield "Written by the overlay, known to no rule of trainyard"
        yield from (f"  {path}" for path in plan.overlay)


def _change_lines(plan: DeploymentPlan) -> Iterator[str]:
    """Yield what a deployment would change of what exists, why it would be refused, and the price before and after."""
    from trainyard.cli.plan_cost import change_line

    if plan.review is None:
        return
    yield "Changes of what exists"
    for line in [*plan.review.lines()] or ["none"]:
        yield f"  {line}"
    for finding in plan.review.findings:
        yield f"  {finding.message}; {finding.remedy}"
    for refusal in plan.refusals:
        yield f"  deploy refuses: {refusal.problem}; {refusal.hint}"
    if plan.former_cost is not None:
        yield f"  {change_line(plan.cost, plan.former_cost)}"


def _fixed_lines(plan: DeploymentPlan) -> Iterator[str]:
    yield "Cannot be changed later; --json says why of each"
    for section, paths in groupby(
        sorted(fixed.path for fixed in plan.immutable_fields), key=lambda path: path.split(".")[0]
    ):
        rest = [path.removeprefix(section).removeprefix(".") for path in paths]
        yield f"  {section}{': ' if any(rest) else ''}{', '.join(filter(None, rest))}"


def _stack_lines(plan: DeploymentPlan) -> Iterator[str]:
    yield "Stacks beside the cluster"
    for stack in plan.stacks:
        yield f"  {stack.name}"
        yield "    " + ", ".join(f"{count} × {kind.removeprefix('AWS::')}" for kind, count in stack.resources.items())
        if stack.keeps:
            yield f"    stays with its data when the stack is deleted: {', '.join(stack.keeps)}"
    if not plan.stacks:
        yield "  none"
    for nodes in plan.nodes_started_later:
        yield f"  {nodes} start by an update once the cluster is there: the head node would wait for them"


def _time_lines(plan: DeploymentPlan) -> Iterator[str]:
    from trainyard.cli.plan_bootstrap import budget_lines, fleet_lines

    yield "Time"
    for stage in plan.stages:
        minutes = f"{_range(*stage.minutes)} min" if stage.minutes else "unknown"
        more = ", and what is not counted below" if stage.not_counted else ""
        yield f"  {minutes:>14}   {stage.what}{more}"
    if plan.bootstrap is not None:
        yield from budget_lines(plan.bootstrap)
    if plan.fleet is not None:
        yield from fleet_lines(plan.fleet)


def _metrics_lines(plan: DeploymentPlan) -> Iterator[str]:
    from trainyard.cli.plan_metrics import metrics_lines

    if plan.metrics is not None:
        yield from metrics_lines(plan.metrics)


def _cost_lines(plan: DeploymentPlan) -> Iterator[str]:
    from trainyard.cli.plan_cost import cost_lines

    yield from cost_lines(plan.cost)


def _range(least: object, most: object) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def plan_values(plan: DeploymentPlan) -> dict[str, Any]:
    """Return the same for programs."""
    from trainyard.cli.plan_bootstrap import budget_values, fleet_values
    from trainyard.cli.plan_cost import cost_values
    from trainyard.cli.plan_metrics import metrics_values

    return {
        "steps": [
            {
                "name": step.name,
                "title": step.title,
                "state": step.probe.state if step.probe else None,
                "detail": step.probe.detail if step.probe else None,
            }
            for step in plan.steps
        ],
        "stacks": [
            {"name": stack.name, "resources": stack.resources, "keeps": list(stack.keeps)} for stack in plan.stacks
        ],
        "second_phase": list(plan.nodes_started_later),
        "time": [
            {
                "stage": stage.name,
                "what": stage.what,
                "least_minutes": stage.minutes.least if stage.minutes else None,
                "most_minutes": stage.minutes.most if stage.minutes else None,
                "not_counted": list(stage.not_counted),
                "sources": [source.url for source in stage.sources],
            }
            for stage in plan.stages
        ],
        "bootstrap": None if plan.bootstrap is None else budget_values(plan.bootstrap),
        "simulation": None if plan.fleet is None else fleet_values(plan.fleet),
        "metrics": None if plan.metrics is None else metrics_values(plan.metrics),
        "cost": cost_values(plan.cost),
        "former_cost": None if plan.former_cost is None else cost_values(plan.former_cost),
        "changes": [change.as_json() for change in plan.review.changes] if plan.review else [],
        "cluster": plan.review.cluster.as_json() if plan.review and plan.review.cluster else None,
        "drift": list(_drift_values(plan.review)) if plan.review else [],
        "unclear": list(plan.review.unclear) if plan.review else [],
        "refused": [
            {"problem": refusal.problem, "where": refusal.where, "hint": refusal.hint} for refusal in plan.refusals
        ],
        "overlay": list(plan.overlay),
        "cannot_change_later": [
            {"path": field.path, "why": field.why, "source": field.source.url} for field in plan.immutable_fields
        ],
    }


def _drift_values(review: UpdateReview) -> Iterator[dict[str, Any]]:
    for difference in review.drift:
        yield {**difference.as_json(), "taken_back": difference in review.overwrites}
