"""Asks cfn-lint, which AWS keeps for CloudFormation, what it says of a template."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

INSTALL = "install it beside trainyard: pip install 'trainyard[judges]'"
_WITHIN_S = 120
# Its exit status is a sum of these: https://github.com/aws-cloudformation/cfn-lint#exit-codes
_JUDGED = range(15)
# A configuration in the folder could name rules of its own, which are code; -P keeps that folder's modules out, too.
_PROGRAM = ("-P", "-c", "from cfnlint.runner.cli import main; main()", "--config-file", os.devnull, "--format", "json")


class LintMatch(NamedTuple):
    """What it says of one place."""

    rule: str
    level: str
    """Error, Warning or Informational."""
    message: str
    source: str | None
    path: tuple[str | int, ...]
    line: int
    column: int


def cfn_lint(text: str) -> Iterator[LintMatch]:
    """Yield what it says of the text of a template. Raises TrainyardError where it is missing or fails."""
    if find_spec("cfnlint") is None:
        raise TrainyardError("cfn-lint is not installed", hint=INSTALL)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ended = run_watched([sys.executable, *_PROGRAM], variables, timeout_s=_WITHIN_S, content=text.encode())
    hint = "see what `cfn-lint FILE` prints"
    if ended.timed_out or ended.status not in _JUDGED:
        why = f"it did not end within {_WITHIN_S} s" if ended.timed_out else ended.error.rpartition("\n")[2]
        raise TrainyardError(f"cfn-lint could not judge the template: {quoted(why)}", hint=hint)
    try:
        matches = tuple(map(_match, json.loads(ended.output or "[]")))
    except (ValueError, KeyError, TypeError) as error:
        raise TrainyardError("cfn-lint did not answer in a form that trainyard knows", hint=hint) from error
    yield from matches


def _match(written: dict[str, Any]) -> LintMatch:
    start = written["Location"]["Start"]
    path = tuple(written["Location"]["Path"] or ())
    rule = written["Rule"]
    message = written["Message"]
    return LintMatch(
        rule["Id"], written["Level"], message, rule["Source"] or None, path, start["LineNumber"], start["ColumnNumber"]
    )
