"""A diagnosis in a terminal. Nothing of a log reaches it but on one line, with everything escaped that commands it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_lines, print_text, styled
from trainyard.counts import count_text
from trainyard.diagnose.report.sentences import (
    conflict_text,
    depth_sentence,
    different_lines,
    excerpt,
    nodes,
    not_asked,
    nothing_known,
    occurrence_text,
    read,
    version_text,
)  # fmt: skip
from trainyard.foreign_text import BAR, word_or_quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_Values = dict[str, Any]
_WIDTH = 96
_MOST_EVIDENCE, _MOST_OTHERS, _MOST_CONSEQUENCES, _MOST_UNREAD = 5, 10, 12, 10
_COLOURS = {"error": "red", "warning": "yellow", "harmless": "cyan", "info": "cyan"}


def print_diagnosis(values: Mapping[str, Any]) -> None:
    """Print a diagnosis: the root cause whole, and the rest in short."""
    causes = values["causes"]
    if causes:
        _print_root(causes[0])
        _print_others(causes[1:])
    else:
        print_text(f"{nothing_known(values)} in {values['diagnosed']}")
        for sentence in not_asked(values):
            print_text(f"  {sentence}")
    _print_unusual(values["unrecognised"])
    _print_versions(values)
    _print_titles("Failed, and worked later:", values["repaired"])
    _print_titles("Harmless, though it looks like trouble:", values["harmless"])
    _print_unread(values["unread"], values["unread_count"])
    print_text("")
    for sentence in not_asked(values) if causes else ():
        print_text(sentence)
    print_text(read(values))


def _print_root(root: _Values) -> None:
    print_text(f"{_severity(root)}: {styled(root['title'], bold=True)} {_id(root)}")
    print_text(f"  {root['confidence']}: {occurrence_text(root)}")
    if root["nodes"]:
        print_text(f"  {nodes(root)}")
    print_text("")
    print_lines(_filled(root["explanation"]))
    for fact in root["facts"]:
        print_lines(_filled(fact))
    if sentence := depth_sentence(root):
        print_lines(_filled(sentence))
    print_text("")
    _print_lines(different_lines(root["evidence"])[:_MOST_EVIDENCE])
    print_text("")
    print_lines(_filled(f"What to do: {root['remedy']}"))
    print_text(f"Source: {root['source']}")
    _print_consequences(root["consequences"])


def _print_lines(lines: Sequence[_Values]) -> None:
    for line in lines:
        print_text(styled(f"  {_place(line)}", dim=True))
        print_text(f"    {_quotation(line)}")


def _print_consequences(consequences: Sequence[_Values]) -> None:
    if not consequences:
        return
    print_text("")
    print_text("What followed from it:")
    for consequence in consequences[:_MOST_CONSEQUENCES]:
        at = consequence["first_seen"] or "at some time"
        print_text(f"  {at:<20}  {consequence['title']}, {count_text(consequence['count'], 'line')} {_id(consequence)}")
    _print_more(len(consequences) - _MOST_CONSEQUENCES)
    print_text("  `trainyard explain ID` tells more of each.")


def _print_others(causes: Sequence[_Values]) -> None:
    if not causes:
        return
    print_text("")
    print_text("What else is wrong:")
    for cause in causes[:_MOST_OTHERS]:
        print_text(f"  {_severity(cause)}: {cause['title']}, {count_text(cause['count'], 'line')} {_id(cause)}")
        first = cause["evidence"][0]
        print_text(styled(f"    {_place(first)}", dim=True))
        print_text(f"    {_quotation(first)}")
        for fact in cause["facts"]:
            print_lines(textwrap.indent(_filled(fact), "    "))
        print_lines(textwrap.indent(_filled(f"What to do: {cause['remedy']}"), "    "))
    _print_more(len(causes) - _MOST_OTHERS)


def _print_unusual(lines: Sequence[_Values]) -> None:
    if not lines:
        return
    print_text("")
    print_text("The most unusual lines, which no signature knows:")
    _print_lines(lines)


def _print_versions(values: Mapping[str, Any]) -> None:
    if not values["versions"]:
        return
    print_text("")
    print_lines(_filled(f"Versions that the logs state: {', '.join(map(version_text, values['versions']))}."))
    for conflict in values["version_conflicts"]:
        print_text(f"  {_severity(conflict)}: {word_or_quoted(conflict['file'])}")
        print_lines(textwrap.indent(_filled(conflict_text(conflict)), "    "))
        print_text(f"    Source: {conflict['source']}")


def _print_titles(heading: str, causes: Sequence[_Values]) -> None:
    if not causes:
        return
    print_text("")
    print_text(heading)
    for cause in causes[:_MOST_OTHERS]:
        print_text(f"  {cause['title']}, {count_text(cause['count'], 'line')} {_id(cause)}")
    _print_more(len(causes) - _MOST_OTHERS)


def _print_unread(unread: Sequence[_Values], count: int) -> None:
    if not unread:
        return
    print_text("")
    print_text("Not read, or not to the end:")
    shown = unread[:_MOST_UNREAD]
    for unread_file in shown:
        print_text(f"  {word_or_quoted(unread_file['name'])}: {unread_file['why']}")
    _print_more(count - len(shown))


def _print_more(count: int) -> None:
    if count > 0:
        print_text(f"  and {count:,} more")


def _place(line: _Values) -> str:
    """Return where a line stands: whoever packed the logs has named the files."""
    return f"{word_or_quoted(line['file'])}:{line['line']}"


def _severity(cause: _Values) -> str:
    return styled(cause["severity"], fg=_COLOURS[cause["severity"]], bold=True)


def _id(cause: _Values) -> str:
    return styled(f"[{cause['cause']}]", dim=True)


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH)


def _quotation(line: _Values) -> str:
    return f"{BAR}{excerpt(line)}"
