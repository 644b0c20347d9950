"""How results and errors are printed: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from trainyard.errors import FindingsError, InputError, TrainyardError
from trainyard.finding import SEVERITIES, Finding
from trainyard.foreign_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

EMULATION = "trainyard.emulation"
"""Key of click's context: the kept rehearsal that answers in place of AWS."""
_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
# Stands for the beginning of a style until it is printed. No text from elsewhere can hold it, so none has a style.
_STYLE = f"<{os.urandom(8).hex()}>"
_STYLES = re.compile(f"{_STYLE}[0-9;]*m")


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""Adds ``--json`` to a command."""


def json_requested(arguments: Sequence[str]) -> bool:
    """Return whether a command line asks for JSON, also when it is otherwise wrong."""
    return "--json" in arguments or "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def print_json(value: dict[str, Any]) -> None:
    """Print a result as JSON: first its schema version, then the kept rehearsal that was asked in place of AWS."""
    context = click.get_current_context(silent=True)
    emulation = context and context.meta.get(EMULATION)
    print_plain(json_text({"schema": 1, **({"emulation": emulation} if emulation else {}), **value}))


def json_text(value: dict[str, Any] | list[Any]) -> str:
    """Return JSON in ASCII: any terminal and any encoding can bear it, whatever names and messages hold."""
    import json  # text is printed more often

    return json.dumps(value, indent=2)


def styled(text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None) -> str:
    """Return a part of a line in a style, which it has where a person reads it."""
    return click.style(one_line(text), fg=fg, bold=bold, dim=dim).replace("\x1b[", _STYLE)


def plain(text: str) -> str:
    """Return a line without its styles."""
    return _STYLES.sub("", text)


def print_text(text: str, *, err: bool = False) -> None:
    """Print one line. Whatever names and messages it holds, nothing in it ends the line or commands the terminal."""
    stream = sys.stderr if err else sys.stdout
    # There is no stream where the caller closed it.
    coloured = stream is not None and stream.isatty() and not os.environ.get("NO_COLOR")
    line = one_line(text)
    print_plain(line.replace(_STYLE, "\x1b[") if coloured else plain(line), err=err, colours=coloured)


def print_lines(text: str, *, err: bool = False) -> None:
    """Print a text that has lines of its own: ours, or what is shown as somebody else's."""
    for line in text.split("\n"):
        print_text(line, err=err)


def ask_consent(question: str) -> bool:
    """Ask for a yes or a no, and return whether it is a yes."""
    return click.confirm(one_line(question), err=True)


def ask_text(question: str) -> str:
    """Ask for something to be typed, and return it."""
    answer: str = click.prompt(one_line(question), err=True)
    return answer


def print_plain(text: str, *, err: bool = False, colours: bool = False, end: str = "\n") -> None:
    """Print text as it is. Ends the program where nobody can read it."""
    try:
        click.echo(text + end, nl=False, err=err, color=colours, file=_whole(sys.stderr if err else sys.stdout))
    except OSError as error:
        _end_unheard(error, err=err)


def _whole(stream: TextIO | None) -> TextIO | None:
    """Return a stream that writes all of a text or fails.

    With PYTHONUNBUFFERED the standard streams have no buffer, and drop what one call to the system did not take.
    https://docs.python.org/3/library/io.html#io.RawIOBase.write
    """
    raw = getattr(stream, "buffer", None)
    if stream is None or not isinstance(raw, io.RawIOBase):
        return stream
    buffered = io.BufferedWriter(io.FileIO(raw.fileno(), "w", closefd=False))
    return io.TextIOWrapper(buffered, encoding=stream.encoding, errors=stream.errors, write_through=False)


def _end_unheard(error: OSError, *, err: bool) -> NoReturn:
    # What is still buffered is written once more when Python ends, and must not fail a second time.
    lost = sys.stderr if err else sys.stdout
    os.dup2(os.open(os.devnull, os.O_WRONLY), lost.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(141)  # what shells say of a program that SIGPIPE ended: 128 + 13
    if not err:
        print_text(f"error: could not write to standard output: {error.strerror}", err=True)
    sys.exit(1)


def finding_text(finding: Finding) -> str:
    """Return a finding on one line: place, severity, what is wrong, what to do, and the id that explains it."""
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part is not None)
    remedy = f"; {finding.remedy}" if finding.remedy else ""
    before = f"{place}: " if place else ""
    words = f"{finding.message}{remedy} {styled(f'[{finding.id}]', dim=True)}"
    return f"{before}{styled(finding.severity, fg=_COLOURS[finding.severity], bold=True)}: {words}"


def severity_counts(findings: Iterable[Finding]) -> str:
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
        print_json({"error": shown, **({"findings": [finding.as_json() for finding in findings]} if findings else {})})
        return
    for finding in findings:
        print_text(finding_text(finding), err=True)
    if not findings:
        where = f"{error.where}: " if error.where and error.where not in error.problem else ""
        hint = f"; {error.hint}" if error.hint else ""
        print_text(f"{where}{styled('error', fg='red', bold=True)}: {error.problem}{hint}", err=True)


def print_usage_error(error: click.ClickException, *, as_json: bool) -> None:
    """Print what is wrong with the command line."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "trainyard"
    problem = error.format_message().removesuffix(".")
    print_error(InputError(problem, where=command, hint=f"`{command} --help` shows how it is used"), as_json=as_json)


def reporter() -> Callable[[str], None]:
    """Return a function that shows progress on standard error."""
    return lambda line: print_text(line, err=True)
