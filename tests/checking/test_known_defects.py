"""Every good file, with each known defect put into it: how many are found, and at the right line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from trainyard.checking.any_file import check_any_text

GOLDEN = Path(__file__).parents[1] / "bundle" / "golden"
DEFECTS = yaml.safe_load(Path(__file__).with_name("known_defects.yaml").read_text(encoding="utf-8"))


class Mutation(NamedTuple):
    """A good file with a defect, and the lines where it stands."""

    file: str
    text: str
    lines: range
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.lines.start}: {self.why}"


@cache
def good_files() -> dict[str, tuple[str, str]]:
    """Return the text and the kind of each rendered file that can be checked, by its name."""
    files = {}
    for file in sorted(GOLDEN.rglob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        kind = check_any_text(text, file.name, named=False).kind
        if kind is not None and kind in DEFECTS:
            files[file.relative_to(GOLDEN).as_posix()] = (text, kind)
    return files


@cache
def mutations() -> tuple[Mutation, ...]:
    """Return every defect in every file at each of its places."""
    return tuple(
        mutation
        for file, (text, kind) in good_files().items()
        for defect in DEFECTS[kind]
        for mutation in _mutations(file, text, defect)
    )


def _mutations(file: str, text: str, defect: dict[str, Any]) -> Iterator[Mutation]:
    for found in re.finditer(defect["right"], text):
        mutated = text[: found.start()] + found.expand(defect["wrong"]) + text[found.end() :]
        line = text.count("\n", 0, found.start()) + 1
        height = found[0].rstrip("\n").count("\n")
        near = defect.get("near", 0)
        if mutated != text:
            yield Mutation(file, mutated, range(line - near, line + height + near + 1), defect["why"])


@cache
def known(file: str) -> frozenset[tuple[str, str]]:
    """Return what is found in a good file itself."""
    return frozenset((each.id, each.message) for each in check_any_text(good_files()[file][0], file).findings)


def is_found(mutation: Mutation) -> bool:
    """Return whether anything is found at the defect that the good file has not."""
    return any(
        (each.id, each.message) not in known(mutation.file) and (each.line is None or each.line in mutation.lines)
        for each in check_any_text(mutation.text, mutation.file).findings
    )


def missed(step: int = 1) -> list[str]:
    """Return the mutations at which nothing is found, of all or of each so many."""
    return [str(mutation) for mutation in mutations()[::step] if not is_found(mutation)]


def test_there_are_many():
    assert len(mutations()) >= 200


def test_nearly_all_of_some_are_found_at_their_line():
    assert len(missed(step=7)) <= 2, "\n".join(missed(step=7))


@pytest.mark.exhaustive
def test_nearly_all_are_found_at_their_line():
    assert len(missed()) <= len(mutations()) * 0.05, "\n".join(missed())
