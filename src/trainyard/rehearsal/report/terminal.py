"""The summary of a rehearsal for a terminal: at most 40 lines, plain text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from trainyard.counts import count_text
from trainyard.rehearsal.report.numbers import seconds
from trainyard.rehearsal.report.outcome import call_count, headline, problem, reason, resource_count
from trainyard.render.markup import markup_text

_WIDTH = 120
_MOST_LINES = 40
_MOST_FINDINGS = 4
_MOST_POINTS = 4


def summary(result: Mapping[str, Any]) -> str:
    """Return what came of a rehearsal, in the order of what matters."""
    return "\n".join(_short(line) for line in _lines(result)) + "\n"


def _wrapped(words: str, most_lines: int = 3) -> list[str]:
    """Return a text in lines that do not wrap by themselves."""
    return wrap(_plain(words), _WIDTH, max_lines=most_lines, placeholder=" …")


def _lines(result: Mapping[str, Any]) -> list[str]:
    before = [*_wrapped(f"{headline(result)}.", 2), *_wrapped(reason(result)), ""]
    after = list(_after_steps(result))
    return [*before, *_steps(result.get("steps") or (), _MOST_LINES - len(before) - len(after)), *after]


def _after_steps(result: Mapping[str, Any]) -> Iterator[str]:
    stacks = count_text(len(result.get("stacks") or ()), "stack")
    calls = count_text(call_count(result), "call")
    yield f"{stacks}, {count_text(resource_count(result), 'resource')}, {calls} to the emulated account"
    yield from _findings(result.get("findings") or ())
    yield from _points("Proved", result.get("proved") or ())
    yield from _points("Only AWS can tell", result.get("only_aws_can_tell") or ())


def _steps(steps: Sequence[Mapping[str, Any]], room: int) -> Iterator[str]:
    """Yield the steps, those that did nothing only where there is room, the first that failed always."""
    most = room - 2  # for the line that counts the others, and an empty one
    shown = list(steps) if len(steps) <= most else [step for step in steps if step["status"] != "skipped"]
    failed = [step for step in shown[most:] if step["status"] == "failed"][:1]
    chosen = shown[: most - len(failed)] + failed
    yield from (_step(step) for step in chosen)
    if len(steps) > len(chosen):
        yield f"  and {count_text(len(steps) - len(chosen), 'more step')}"
    if steps:
        yield ""


def _step(step: Mapping[str, Any]) -> str:
    way = "undone" if step["action"] == "undo" and step["status"] == "done" else step["status"]
    wrong = f": {problem(step.get('error'))}" if step.get("error") else ""
    return f"  {way:<8}{seconds(step.get('seconds')):>9}  {step['title']}{wrong}"


def _findings(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if findings:
        yield f"{count_text(len(findings), 'finding')}:"
    for finding in findings[:_MOST_FINDINGS]:
        yield f"  {finding['severity']}: {finding['message']} [{finding['id']}]"
    if len(findings) > _MOST_FINDINGS:
        yield f"  and {len(findings) - _MOST_FINDINGS:,} more"


def _points(heading: str, points: Sequence[str]) -> Iterator[str]:
    if points:
        yield f"{heading}:"
    for point in points[:_MOST_POINTS]:
        claim = str(point).rpartition(" (https://")[0] or str(point)
        yield f"  {claim.partition('. ')[0].rstrip('.')}"
    if len(points) > _MOST_POINTS:
        yield f"  and {len(points) - _MOST_POINTS:,} more in the report"


def _short(line: str) -> str:
    plain = _plain(line)
    return plain if len(plain) <= _WIDTH else plain[: _WIDTH - 1] + "…"


def _plain(words: str) -> str:
    """Return a text on one line, without anything that a terminal would obey."""
    return " ".join(markup_text(words).splitlines())
