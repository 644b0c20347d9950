"""The terminal: one place writes to it, and what is printed there ends no line, has no style and commands nothing."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import trainyard.cli
from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK
from trainyard.cli.output import finding_text, print_error, print_lines, print_text, reporter, styled
from trainyard.cli.progress import watcher
from trainyard.deploy.work import Event
from trainyard.errors import TrainyardError
from trainyard.finding import Finding

CLI = Path(trainyard.cli.__file__).parent
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
# Colours, conceals, and what tries to be the mark of a style of ours.
STYLES = {"colour": f"\x1b[31m{MARK}\x1b[0m", "concealed": f"\x1b[8m{MARK}", "mark": f"<0123456789abcdef>31m{MARK}"}
TEXTS = FORGERIES | STYLES
# What is printed as it is, and why nobody else has written it.
PLAIN = {
    "calendar.py": "iCalendar, which has its own escapes",
    "completion.py": "a script of click's",
    "connect.py": "an entry of ssh_config, whose values are refused where they break a line; a command, escaped",
    "formats.py": "JSON in ASCII; commands of GitHub, escaped",
    "logs_output.py": "JSON in ASCII",
    "schema.py": "our own schema",
    "run_schema.py": "our own schema",
    "adopt.py": "a spec of YAML, which escapes what a configuration holds",
    "batch_image.py": "a Dockerfile of ours",
    "new.py": "a spec of ours with the user's own settings",
    "run_new.py": "a run of ours",
    "__init__.py": "a word of ours",
}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def finding(text: str) -> None:
    print_text(finding_text(Finding("an-id", "error", text, text, file=text)))


def refusal(text: str) -> None:
    print_error(TrainyardError(text, where=text, hint=text), as_json=False)


def event(text: str) -> None:
    watcher()(Event(0.0, "cluster", "progress", text))


WAYS: dict[str, Callable[[str], None]] = {
    "line": print_text,
    "styled": lambda text: print_text(f"{styled(text, fg='red')}: {text}"),
    "finding": finding,
    "refusal": refusal,
    "event": event,
    "failed": lambda text: watcher()(Event(0.0, "cluster", "failed", text)),
    "report": reporter(),
}


def shown(way: Callable[[str], None], text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a terminal is sent."""
    screen = Terminal()
    with monkeypatch.context() as here:
        here.setattr(sys, "stdout", screen)
        here.setattr(sys, "stderr", screen)
        here.delenv("NO_COLOR", raising=False)
        way(text)
    return screen.getvalue()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@each_case("text", TEXTS.values(), ids=TEXTS)
def test_it_stays_on_its_line_and_has_no_style(text: str, way: Callable[[str], None], monkeypatch):
    harmless, printed = shown(way, "harmless", monkeypatch), shown(way, text, monkeypatch)
    assert MARK in printed
    assert (printed.count("\n"), printed[-1]) == (1, "\n")
    assert _STYLE.sub("", printed[:-1]).isprintable()
    assert _STYLE.findall(printed) == _STYLE.findall(harmless)


def test_a_text_of_many_lines_has_no_others(capsys: pytest.CaptureFixture[str]):
    print_lines("one\ntwo\x1b[2J\r\n\nthree\u2028")
    assert capsys.readouterr().out == "one\ntwo\\x1b[2J\\r\n\nthree\\u2028\n"


def calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_no_command_writes_past_the_one_place():
    for file in sorted(CLI.glob("*.py")):
        called = set(calls(ast.parse(file.read_text(encoding="utf-8"))))
        if file.name not in ("output.py", "status.py"):  # which clears the screen between two looks
            assert not called & {"click.echo", "click.secho", "click.style", "click.confirm", "click.prompt"}, file
            assert not called & {"print", "sys.stdout.write", "sys.stderr.write"}, file
        if file.name != "output.py":
            assert ("print_plain" in called) == (file.name in PLAIN), file
