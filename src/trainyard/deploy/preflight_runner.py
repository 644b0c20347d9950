"""Runs all preflights at once, and makes findings of what they yield. What could not be asked is a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import NamedTuple

from trainyard.deploy.preflights import Preflight, PreflightContext, all_preflights
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.finding import SEVERITIES, Finding
from trainyard.finding_kinds import FindingKind, Problem
from trainyard.stop_request import LOOK_EVERY_S, is_noted, look

WORKERS = 8
LIMIT_S = 120.0
"""How long all of them may take together. A service that does not answer is no reason not to deploy."""

FIRST = "account-not-usable"
"""Where this one finds something, nothing else can be asked."""

NOT_RUN = FindingKind(
    id="preflight-not-run",
    severity="warning",
    title="Preflight that could not be run",
    rationale=(
        "Whoever deploys may not ask AWS for it, or AWS did not answer in time. What the preflight would have "
        "noticed can still go wrong, only later and when part of the cluster is made."
    ),
    remedy="ask for the permission that it names, or look for yourself; the deployment goes on without it",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html",
)
"""The finding in place of a preflight that has no answer."""


class Result(NamedTuple):
    """What came of one preflight: its problems, or why it has none to tell."""

    preflight: Preflight
    problems: tuple[Problem, ...]
    error: Exception | None = None


def run_preflights(
    context: PreflightContext,
    report: Callable[[str], None],
    preflights: tuple[Preflight, ...] | None = None,
    limit_s: float = LIMIT_S,
) -> tuple[Finding, ...]:
    """Return everything that the account says against a spec, worst first. Changes nothing in the account.

    Anything but a TrainyardError that a preflight raises is a bug and is raised here.
    """
    chosen = all_preflights() if preflights is None else preflights
    report(f"asks the account {len(chosen)} questions about {context.spec.name}")
    results = [_run(preflight, context) for preflight in chosen if preflight.id == FIRST]
    if not any(result.problems for result in results):
        others = [preflight for preflight in chosen if preflight.id != FIRST]
        results += _run_together(others, context, limit_s)
    findings = [
        result.preflight.finding_at(problem, context.document) for result in results for problem in result.problems
    ]
    findings += _not_run(results, context)
    report(f"{len(findings)} finding{'s' if len(findings) > 1 else ''}" if findings else "nothing against it")
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[int, int, str]:
    return SEVERITIES.index(finding.severity), finding.line or 0, finding.id


def _run(preflight: Preflight, context: PreflightContext) -> Result:
    try:
        return Result(preflight, tuple(preflight.problems(context)))
    except Exception as error:  # noqa: BLE001  it is raised again where the results come together
        return Result(preflight, (), error)


def _run_together(preflights: list[Preflight], context: PreflightContext, limit_s: float) -> list[Result]:
    """Return the results in the order of the preflights. Threads that hang die with the program, and nobody waits."""
    waiting: SimpleQueue[Preflight] = SimpleQueue()
    done: SimpleQueue[Result] = SimpleQueue()
    for preflight in preflights:
        waiting.put(preflight)
    for _ in range(min(WORKERS, len(preflights))):
        Thread(target=_work, args=(waiting, done, context), daemon=True).start()
    results = {result.preflight.id: result for result in _within(limit_s, done, len(preflights))}
    late = TrainyardError(f"AWS did not answer within {limit_s:g} s", hint="try again; it may be busy")
    return [results.get(preflight.id, Result(preflight, (), late)) for preflight in preflights]


def _work(waiting: SimpleQueue[Preflight], done: SimpleQueue[Result], context: PreflightContext) -> None:
    while not is_noted():
        try:
            preflight = waiting.get_nowait()
        except Empty:
            return
        done.put(_run(preflight, context))


def _within(limit_s: float, done: SimpleQueue[Result], count: int) -> Iterator[Result]:
    end = monotonic() + limit_s
    for _ in range(count):
        while True:
            look()
            left_s = max(0.0, end - monotonic())
            try:
                yield done.get(timeout=min(left_s, LOOK_EVERY_S))
                break
            except Empty:
                if not left_s:
                    return


def _not_run(results: list[Result], context: PreflightContext) -> Iterator[Finding]:
    """Yield one warning for each reason, with all the preflights that it keeps from running."""
    reasons: dict[str, tuple[TrainyardError, list[str]]] = {}
    for result in results:
        if result.error is None:
            continue
        if not isinstance(result.error, TrainyardError):
            raise result.error
        reasons.setdefault(_reason(result.error), (result.error, []))[1].append(result.preflight.id)
    for reason, (error, ids) in reasons.items():
        file = None if context.document is None else context.document.file
        yield NOT_RUN.finding(f"could not be checked: {', '.join(ids)}: {reason}", error.hint, file=file)


def _reason(error: TrainyardError) -> str:
    return f"no permission for {error.permission}" if isinstance(error, NotAllowedError) else error.problem
