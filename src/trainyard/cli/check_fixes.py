"""What ``trainyard check --fix`` and ``--diff`` show, ask and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.api.check import fixes_of, write_fixes
from trainyard.cli.output import ask_consent, print_lines, print_text
from trainyard.counts import count_text
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.checking.fixes import FixedText


def show_fixes(paths: Sequence[str], *, err: bool) -> list[FixedText]:
    """Print as a diff what can be put right, and return it. Raises InputError where there is no file to write to."""
    if "-" in paths:
        raise InputError("standard input is no file that could be changed", where="-", hint="name the file")
    fixed = list(fixes_of(paths))
    for file in fixed:
        print_lines(file.diff.removesuffix("\n"), err=err)
    if fixed:
        ids = sorted({finding.id for file in fixed for finding in file.fixed})
        number = sum(len(file.fixed) for file in fixed)
        print_text(f"{count_text(number, 'fix', 'fixes')}: {', '.join(ids)}", err=True)
    else:
        print_text("nothing here has one right answer that could be written", err=True)
    return fixed


def write_shown_fixes(fixed: Sequence[FixedText], *, ask: bool) -> None:
    """Write what was shown, where it is to be."""
    if not fixed or (ask and not ask_consent(f"Write this into {len(fixed)} file{'s' * (len(fixed) != 1)}?")):
        return
    for file in fixed:
        write_fixes(file)
