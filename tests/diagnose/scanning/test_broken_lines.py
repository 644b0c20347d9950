"""Lines that a terminal, a mail program or kubectl has broken are read as one, and whole lines stay what they are."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.log_cases import BLIND, shows
from tests.diagnose.scanning.known import counts, found
from trainyard.api.diagnose import diagnose_files, has_errors
from trainyard.diagnose.scanning.broken_lines import joined_lines, unbroken, width_of

_LINE = (
    "ip-10-0-1-7:71:93 [0] NCCL INFO the plugin of this node says that it could not open the device of the second card "
    "because another process has it, and so nothing is sent over it until the process ends or the node is drained"
)
_PATTERNS = {"whole": "says that it could not open the device .* until the process ends"}
_LEAST_SHOWN, _LEAST_QUIET = 0.88, 0.97


def between_words(width: int, indent: str = "") -> Callable[[str], list[str]]:
    return lambda line: textwrap.wrap(line, width, subsequent_indent=indent) or [""]


def by_terminal(width: int) -> Callable[[str], list[str]]:
    return lambda line: [line[at : at + width] for at in range(0, max(len(line), 1), width)]


FORMS: dict[str, Callable[[str], list[str]]] = {
    "72 words": between_words(72), "80 words": between_words(80), "132 words": between_words(132),
    "100 indented": between_words(100, "        "), "80 terminal": by_terminal(80), "120 terminal": by_terminal(120),
    "quoted": lambda line: [f"> {part}" for part in textwrap.wrap(line, 76)],
    "quoted twice": lambda line: [f"> > {part}" for part in textwrap.wrap(line, 76)],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("start", ["", "2026-05-06T10:00:00Z "])
def test_a_broken_line_is_found_once_and_shown_whole(form: str, start: str):
    before, behind = "The job begins.", f"{start}The job has ended."
    lines = [*FORMS[form](before), *FORMS[form](start + _LINE), *FORMS[form](behind)]
    result = found("\n".join(lines).encode(), _PATTERNS)
    (hit,) = result.hits
    assert (counts(result), hit.line) == ({"whole": 1}, len(FORMS[form](before)) + 1)
    assert "could not open the device of the second card because another process" in " ".join(hit.text.split())


def test_lines_that_tell_the_same_stay_lines_of_their_own():
    lines = [
        f"{rank * 11} worker of the same length that ran into a wall and is no more {rank}" for rank in range(1, 9)
    ]
    result = found("\n".join(lines).encode(), {"wall": "ran into a wall"})
    assert counts(result) == {"wall": 8}
    assert {hit.text for hit in result.hits} <= set(lines)


@pytest.mark.parametrize(("above", "below"), [
    ("[12:00:01] the first of two messages, of which neither is a part of the other, ends with x", "[12:00:02] here y"),
    ("2026-05-06 10:00:01 the first of two messages, which are apart, ends with the letter x", "2026-05-06 10:00:02 y"),
    ("[p5-1] step 7 | loss 2.19 | tokens/s 81920 | memory 71.3 GiB | the last of its words is x",
     "y:71:93 [0] NCCL INFO Channel 01/0"),
    ("srun: the first of two messages, of which neither is a part of the other, ends with x", "srun: begins with y"),
    ("a" * 300 + " x", "y is a short line behind one that is longer than any terminal"),
    ("a short line that ends with x", "y begins another one"),
    ("a line that is as long as the others but is followed by an empty one, ends with x", "\ny begins another one"),
])  # fmt: skip
def test_whole_lines_are_not_joined(above: str, below: str):
    text = f"{above}\n{below}\n".encode()
    assert counts(found(text, {"both": "x y|x .*y", "glued": "xy"})) == {}


def test_a_long_log_is_broken_as_a_whole_or_not_at_all():
    whole = [f"{number} something short" for number in range(400)]
    whole[7] = "a line that is about as long as a line of an e-mail and happens to be the longest"
    assert width_of("\n".join(whole).encode()) is None
    assert width_of("\n".join(whole[:40]).encode()) is not None


def test_what_is_put_together_keeps_every_byte_at_its_place():
    data = "\n".join(["first", *by_terminal(80)(_LINE), "last"]).encode()
    (joined,) = joined_lines(data, 80)
    assert (joined.first, joined.texts[0]) == (1, _LINE.encode())
    for form in unbroken(data, 80):
        assert len(form) == len(data)
        assert form.count(b"\n") == data.count(b"\n") - joined.lines + 1
        assert form.endswith(data[data.rindex(b"\nlast") :])
    assert _LINE in unbroken(data, 80)[0].decode()


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["80 words", "132 words", "80 terminal", "120 terminal"])
def test_most_logs_that_are_broken_tell_the_same(form: str, tmp_path: Path):
    """What was written blindly, every log of it broken as a whole."""
    failures = [case for case in BLIND if case["decisive"] is not None]
    healthy = [case for case in BLIND if case["decisive"] is None]
    lost = [case["id"] for case in failures if not _is_shown(case, FORMS[form], tmp_path)]
    loud = [case["id"] for case in healthy if has_errors(_diagnosis(case, FORMS[form], tmp_path))]
    assert len(lost) <= (1 - _LEAST_SHOWN) * len(failures), lost
    assert len(loud) <= (1 - _LEAST_QUIET) * len(healthy), loud


def _is_shown(case: dict[str, Any], form: Callable[[str], list[str]], folder: Path) -> bool:
    diagnosis = _diagnosis(case, form, folder)
    return bool(diagnosis.causes) and shows(case, (hit.text for hit in diagnosis.causes[0].evidence[:2]))


def _diagnosis(case: dict[str, Any], form: Callable[[str], list[str]], folder: Path) -> Any:
    log = folder / case["id"] / case["stream"]
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{part}\n" for line in case["lines"] for part in form(line)))
    return diagnose_files(str(log))
