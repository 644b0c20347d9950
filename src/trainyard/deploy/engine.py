"""Runs steps one after the other, and tells what became of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from trainyard.deploy.step import DeploymentStep, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.errors import aws_errors
from trainyard.errors import TrainyardError
from trainyard.stop_request import look


@dataclass(frozen=True, slots=True)
class StepResult:
    """What became of a step. Times are seconds by the clock of the account."""

    name: str
    title: str
    action: Literal["apply", "undo"]
    status: Literal["done", "unchanged", "failed"]
    started: float
    seconds: float
    detail: str
    error: TrainyardError | None = None


def apply_all(steps: Sequence[DeploymentStep], work: Work) -> list[StepResult]:
    """Apply the steps in order, each with the outputs of those before it. The first that fails is the last."""
    return _run(steps, work, "apply", lambda step: step.apply(work))


def undo_all(steps: Sequence[DeploymentStep], work: Work) -> list[StepResult]:
    """Undo the steps, the last one first. The first that fails is the last."""
    return _run(list(reversed(steps)), work, "undo", lambda step: step.undo(work))


def _run(
    steps: Sequence[DeploymentStep],
    work: Work,
    action: Literal["apply", "undo"],
    do: Callable[[DeploymentStep], StepOutcome],
) -> list[StepResult]:
    results: list[StepResult] = []
    for step in steps:
        look()
        work.step = step.name
        results.append(_run_step(step, work, action, do))
        if results[-1].error is not None:
            break
    return results


def failure_of(name: str, title: str, work: Work, do: Callable[[], object]) -> StepResult | None:
    """Do what comes after the steps, and return its failure like that of a step; None where it went well.

    What the steps have done is told all the same.
    """
    started = work.account.clock.now()
    try:
        with aws_errors(work.account.region):
            do()
    except TrainyardError as error:
        work.step = name
        return _failed(name, title, work, "apply", started, error)
    return None


def _run_step(
    step: DeploymentStep, work: Work, action: Literal["apply", "undo"], do: Callable[[DeploymentStep], StepOutcome]
) -> StepResult:
    started = work.account.clock.now()
    try:
        work.tell(step.title, "start")
        with aws_errors(work.account.region):
            outcome = do(step)
        status: Literal["done", "unchanged"] = "done" if outcome.changed else "unchanged"
        work.tell(outcome.detail or status, "done")
    except TrainyardError as error:
        return _failed(step.name, step.title, work, action, started, error)
    work.outputs.update(outcome.outputs)
    spent = work.account.clock.now() - started
    return StepResult(step.name, step.title, action, status, started, spent, outcome.detail)


def _failed(  # noqa: PLR0913, PLR0917  what is told of it
    name: str, title: str, work: Work, action: Literal["apply", "undo"], started: float, error: TrainyardError
) -> StepResult:
    work.tell(error.problem, "failed")
    spent = work.account.clock.now() - started
    return StepResult(name, title, action, "failed", started, spent, error.problem, error)
