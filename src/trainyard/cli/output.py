"""How results and errors are printed: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from trainyard.errors import FindingsError, TrainyardError
from trainyard.finding import SEVERITIES, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""Adds ``--json`` to a command."""


def asked_for_json(arguments: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON, also when it is otherwise wrong."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return "--json" in arguments or "--format=json" in arguments or ("--format", "json") in pairs


def print_json(value: dict[str, Any]) -> None:
    """Print a result as JSON, its schema version first."""
    click.echo(json.dumps({"schema": 1, **value}, indent=2, ensure_ascii=False))


def print_text(text: str, *, err: bool = False) -> None:
    """Print text, its colours only where a person reads it."""
    stream = sys.stderr if err else sys.stdout
    coloured = stream.isatty() and not os.environ.get("NO_COLOR")
    click.echo(text if coloured else click.unstyle(text), err=err, color=coloured)


def finding_text(finding: Finding) -> str:
    """Return a finding on one line: place, severity, what is wrong, what to do, and the id that explains it."""
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    severity = click.style(finding.severity, fg=_COLOURS[finding.severity], bold=True)
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    return f"{place}: {severity}: {finding.message}{remedy} {click.style(f'[{finding.id}]', dim=True)}"


def counted(findings: Iterable[Finding]) -> str:
    """Return how many findings there are of each severity, in words."""
    severities = [finding.severity for finding in findings]
    counts = [(severities.count(severity), severity) for severity in SEVERITIES]
    texts = [
        f"{count} {severity}{'s' if count > 1 and severity != 'info' else ''}" for count, severity in counts if count
    ]
    return ", ".join(texts) or "no findings"


def print_error(error: TrainyardError, *, as_json: bool) -> None:
    """Print why a command could not do its work."""
    findings = error.findings if isinstance(error, FindingsError) else ()
    if as_json:
        shown = {"problem": error.problem, "where": error.where, "hint": error.hint}
        print_json({"error": shown, **({"findings": [asdict(one) for one in findings]} if findings else {})})
        return
    for finding in findings:
        print_text(finding_text(finding), err=True)
    if not findings:
        where = f"{error.where}: " if error.where and error.where not in error.problem else ""
        hint = f"; {error.hint}" if error.hint else ""
        print_text(f"{where}{click.style('error', fg='red', bold=True)}: {error.problem}{hint}", err=True)


def print_usage_error(error: click.ClickException, *, as_json: bool) -> None:
    """Print what is wrong with the command line."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "trainyard"
    print_error(
        TrainyardError(error.format_message(), where=command, hint=f"`{command} --help` shows how it is used"),
        as_json=as_json,
    )


def reporter() -> Callable[[str], None]:
    """Return a function that shows progress on standard error."""
    return lambda line: click.echo(line, err=True)
