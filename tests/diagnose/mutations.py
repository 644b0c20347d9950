"""Other ways in which programs say the same: what versions of them change, and what logs and people do to lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.diagnose.found import causes_of_line
from trainyard.diagnose.cause import Cause, Signature

# Quotes around a word, and not what joins two: can't.
_QUOTED = re.compile(r"(?<![A-Za-z])(['\"])([^'\"]{1,80})\1(?![A-Za-z])")
# Words that versions of programs exchange for one another, as whole words.
_TENSES = (
    (r"\bfailed to\b", "could not"), (r"\bFailed to\b", "Could not"), (r"\bcould not\b", "cannot"),
    (r"\bCould not\b", "Cannot"), (r"\bcannot\b", "can't"), (r"\bcan't\b", "cannot"), (r"\bunable to\b", "failed to"),
    (r"\bUnable to\b", "Failed to"), (r"\bhas failed\b", "failed"), (r"(?<=[a-z] )failed\b(?! to)", "has failed"),
    (r"\bis not\b", "was not"), (r"\bwas (?!not|never|been)", "has been "), (r"\bhas been\b", "was"),
    (r"(?<=[a-z] )(?<!has )timed out\b", "has timed out"), (r"\bdoes not\b", "doesn't"), (r"\bdoesn't\b", "does not"),
    (r"(?<=[a-z] )not found\b", "was not found"),
)  # fmt: skip
# A word that a later version puts into a sentence.
_INSERTIONS = (
    (r"\b(failed|Failed|unable|Unable) to ([a-z]+) (?!to |the |a |for )", r"\1 to \2 the "),
    (r"^(slurm[a-z]+: error: |\[[^]]+\] error: )(?=[A-Z])", r"\1_some_function: "),
    (r" in (?=[a-z])", " in the "),
    (r"\b(is|was|are|were) not\b", r"\1 currently not"),
)


class Mutation(NamedTuple):
    """One thing that is done to a line."""

    id: str
    lines_of: Callable[[str], Iterator[str]]


def _exchanged(pairs: tuple[tuple[str, str], ...]) -> Callable[[str], Iterator[str]]:
    def lines_of(line: str) -> Iterator[str]:
        for pattern, other in pairs:
            if (mutated := re.sub(pattern, other, line, count=1)) != line:
                yield mutated

    return lines_of


def _each(*changes: Callable[[str], str]) -> Callable[[str], Iterator[str]]:
    return lambda line: (changed for change in changes if (changed := change(line)) != line)


def _first_letter(line: str) -> str:
    """Return a line with another case of the first letter of a sentence: behind its last level, or the first of all."""
    match = re.search(r"(?:[Ee]rror|ERROR|WARN|fatal|FATAL)\]?:? +([A-Za-z])(?=[a-z]+ )", line)
    match = match or re.match(r"([A-Za-z])(?=[a-z]+ [a-z]+)", line)
    place = match.start(1) if match else len(line)
    return line[:place] + line[place : place + 1].swapcase() + line[place + 1 :]


def _other_quotes(found: re.Match[str]) -> str:
    other = "'" if found[1] == '"' else '"'
    return f"{other}{found[2]}{other}"


def _other_numbers(line: str) -> str:
    """Return a line with other numbers where they are counts, sizes or ids of processes, and not codes of errors."""
    return re.sub(r"(?<=[ (=])(\d{4,})(?=[ ),.]|$)", lambda match: f"{int(match[1]) + 13}", line)


MUTATIONS = (
    Mutation("tense", _exchanged(_TENSES)),
    Mutation("inserted word", _exchanged(_INSERTIONS)),
    Mutation("first letter", _each(_first_letter)),
    Mutation("quotes", _each(
        lambda line: _QUOTED.sub(r"`\2`", line), lambda line: _QUOTED.sub(_other_quotes, line)
    )),
    Mutation("numbers", _each(_other_numbers)),
    Mutation("spaces", _each(lambda line: re.sub(r": (?=[A-Za-z])", ":  ", line))),
    Mutation("end", _each(lambda line: line.rstrip(".!"), lambda line: f"{line.rstrip('.')}. See the log.")),
    Mutation("before", _each(
        lambda line: f"[rank3]: {line}", lambda line: f"2026-05-06T10:00:00.100Z stderr F {line}",
        lambda line: f"\x1b[31m{line}\x1b[0m",
    )),
)  # fmt: skip


class Outcome(NamedTuple):
    """What came of one line."""

    mutation: str
    signature: str
    line: str
    is_found: bool


def outcomes(causes: list[tuple[Signature, Cause]]) -> Iterator[Outcome]:
    """Yield for each changed example of each signature whether its cause is still found."""
    for signature, cause in causes:
        for mutation in MUTATIONS:
            for line in dict.fromkeys(
                changed for example in signature.matches for changed in mutation.lines_of(example)
            ):
                ids = {one.id for one in causes_of_line(line)}
                yield Outcome(mutation.id, signature.id, line, cause.id in ids)
