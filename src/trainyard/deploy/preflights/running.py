"""Runs every preflight at once, and makes findings of what they yield. What could not be asked is a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import NamedTuple

from trainyard.deploy.preflights import NamedPreflight, Preflight, PreflightContext, all_preflights
from trainyard.edge.aws.calls import NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.finding import SEVERITIES, Finding, path_text
from trainyard.rules import Problem

WORKERS = 8
LIMIT_S = 120.0
"""How long all of them may take together. A service that does not answer is no reason not to deploy."""

FIRST = "account-not-usable"
"""Where this one finds something, nothing else can be asked."""

NOT_RUN = NamedPreflight(
    "preflight-not-run",
    Preflight(
        severity="warning",
        title="Preflight that could not be run",
        rationale=(
            "Whoever deploys may not ask AWS for it, or AWS did not answer in time. What the preflight would have "
            "noticed can still go wrong, only later and when part of the cluster is made."
        ),
        remedy="ask for the permission that it names, or look for yourself; the deployment goes on without it",
        source="https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html",
        permissions=(),
        check=lambda _context: iter(()),
    ),
)
"""The finding in place of a preflight that has no answer."""


class Result(NamedTuple):
    """What came of one preflight: its problems, or why it has none to tell."""

    named: NamedPreflight
    problems: tuple[Problem, ...]
    error: TrainyardError | BaseException | None = None


def run_preflights(
    context: PreflightContext,
    report: Callable[[str], None],
    preflights: tuple[NamedPreflight, ...] | None = None,
    limit_s: float = LIMIT_S,
) -> tuple[Finding, ...]:
    """Return everything that the account says against a spec, worst first. Changes nothing in the account.

    Anything but a TrainyardError that a preflight raises is a bug and is raised here.
    """
    chosen = all_preflights() if preflights is None else preflights
    first, others = _apart(chosen)
    report(f"asks the account {len(chosen)} questions about {context.spec.name}")
    results = [_run(named, context) for named in first]
    if not any(result.problems for result in results):
        results += _run_together(others, context, limit_s)
    found = [*_findings(results, context), *_not_run(results, context)]
    report(f"{len(found)} finding{'s' if len(found) > 1 else ''}" if found else "nothing against it")
    return tuple(sorted(found, key=lambda finding: (SEVERITIES.index(finding.severity), finding.line or 0, finding.id)))


def _apart(preflights: Iterable[NamedPreflight]) -> tuple[list[NamedPreflight], list[NamedPreflight]]:
    chosen = list(preflights)
    return [one for one in chosen if one.id == FIRST], [one for one in chosen if one.id != FIRST]


def _run(named: NamedPreflight, context: PreflightContext) -> Result:
    try:
        return Result(named, tuple(named.preflight.check(context)))
    except BaseException as error:  # noqa: BLE001  it is raised again where the results come together
        return Result(named, (), error)


def _run_together(preflights: list[NamedPreflight], context: PreflightContext, limit_s: float) -> list[Result]:
    """Return the results in the order of the preflights. Threads that hang die with the program, and nobody waits."""
    waiting: SimpleQueue[NamedPreflight] = SimpleQueue()
    done: SimpleQueue[Result] = SimpleQueue()
    for named in preflights:
        waiting.put(named)
    for _ in range(min(WORKERS, len(preflights))):
        Thread(target=_work, args=(waiting, done, context), daemon=True).start()
    results = {result.named.id: result for result in _within(limit_s, done, len(preflights))}
    late = TrainyardError(f"AWS did not answer within {limit_s:g} s", hint="try again; it may be busy")
    return [results.get(named.id, Result(named, (), late)) for named in preflights]


def _work(waiting: SimpleQueue[NamedPreflight], done: SimpleQueue[Result], context: PreflightContext) -> None:
    while True:
        try:
            named = waiting.get_nowait()
        except Empty:
            return
        done.put(_run(named, context))


def _within(limit_s: float, done: SimpleQueue[Result], count: int) -> Iterator[Result]:
    end = monotonic() + limit_s
    for _ in range(count):
        try:
            yield done.get(timeout=max(0.0, end - monotonic()))
        except Empty:
            return


def _findings(results: list[Result], context: PreflightContext) -> Iterator[Finding]:
    for result in results:
        preflight = result.named.preflight
        for problem in result.problems:
            place = None if context.document is None else context.document.place(problem.path)
            yield Finding(
                id=result.named.id,
                severity=problem.severity or preflight.severity,
                message=problem.message,
                remedy=problem.remedy or preflight.remedy,
                source=preflight.source,
                file=None if context.document is None else context.document.file,
                line=None if place is None else place.line,
                column=None if place is None else place.column,
                path=path_text(problem.path) or None,
            )


def _not_run(results: list[Result], context: PreflightContext) -> Iterator[Finding]:
    """Yield one warning for each reason, with all the preflights that it keeps from running."""
    reasons: dict[str, tuple[TrainyardError, list[str]]] = {}
    for result in results:
        if result.error is None:
            continue
        if not isinstance(result.error, TrainyardError):
            raise result.error
        reasons.setdefault(_reason(result.error), (result.error, []))[1].append(result.named.id)
    for reason, (error, ids) in reasons.items():
        yield Finding(
            NOT_RUN.id, NOT_RUN.preflight.severity, f"could not be checked: {', '.join(ids)}: {reason}",
            error.hint or NOT_RUN.preflight.remedy, NOT_RUN.preflight.source,
            file=None if context.document is None else context.document.file,
        )  # fmt: skip


def _reason(error: TrainyardError) -> str:
    return f"no permission for {error.permission}" if isinstance(error, NotAllowedError) else error.problem
