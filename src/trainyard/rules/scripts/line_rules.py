"""Makes rules of what line_rules.yaml says: a statement that matches, or a variable that is set to a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.document.node import Document
from trainyard.document.problems import short, without_password
from trainyard.finding import Fix
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.scripts.statements import assignments, statements


@cache
def line_rules() -> tuple[DocumentRule, ...]:
    """Return the rules of the data file."""
    text = Path(__file__).with_suffix(".yaml").read_bytes()
    return tuple(_rule(id_, dict(entry)) for id_, entry in yaml.load(text, Loader=yaml.CSafeLoader).items())


def variable_problem(name: str, value: str) -> tuple[DocumentRule, str] | None:
    """Return the rule that objects to a variable's value wherever it is set, and what it says; None where none does."""
    for rule in line_rules():
        if isinstance(rule.check, _VariableCheck) and (message := rule.check.message_about(name, value)):
            return rule, message
    return None


class _VariableCheck:
    def __init__(self, entry: dict[str, Any]) -> None:
        self._name = re.compile(entry.pop("variable"), re.VERBOSE)
        self._value = re.compile(entry.pop("value"), re.VERBOSE)
        self._message: str = entry.pop("message")

    def __call__(self, document: Document) -> Iterator[Problem]:
        for assignment in assignments(document):
            if message := self.message_about(assignment.name, assignment.value):
                yield Problem((assignment.line,), message)

    def message_about(self, name: str, value: str) -> str | None:
        if not self._name.fullmatch(name) or not self._value.fullmatch(value):
            return None
        return self._message.format(name=name, value=value)


def _pattern_check(entry: dict[str, Any]) -> Callable[[Document], Iterator[Problem]]:
    pattern = re.compile(entry.pop("pattern"), re.VERBOSE | re.MULTILINE)
    unless = re.compile(entry.pop("unless", r"(?!)"), re.VERBOSE)
    beside = re.compile(entry.pop("beside", ""), re.VERBOSE)
    template: str = entry.pop("message")
    fix: dict[str, str] | None = entry.pop("fix", None)

    def check(document: Document) -> Iterator[Problem]:
        searched = statements(document)
        if not any(beside.search(statement.text) for statement in searched):
            return
        for statement in searched:
            match = pattern.search(statement.text)
            if match and not unless.search(statement.text):
                words = {name: _words(text) for name, text in match.groupdict().items()}
                line = statement.line_at(match.start())
                yield Problem((line,), template.format(**words), fix=_fix(fix, line, str(document.value[line])))

    return check


def _fix(entry: dict[str, str] | None, line: int, text: str) -> Fix | None:
    """Return the whole line as it should be, where the rule says that there is one right answer."""
    written = text if entry is None else re.sub(entry["text"], entry["by"], text)
    return None if written == text else Fix((line,), value=written)


def _words(text: str) -> str:
    return short(without_password(" ".join(text.replace("\\\n", " ").split()))).strip("'\"")


def _rule(id_: str, entry: dict[str, Any]) -> DocumentRule:
    check = _VariableCheck(entry) if "variable" in entry else _pattern_check(entry)
    return DocumentRule(id=id_, check=check, **entry)
