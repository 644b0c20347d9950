"""What the architectures offer as a comment is right as it stands: uncommented, it brings no finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pytest

from tests.each_case import each_case
from trainyard.architectures import Architecture, all_architectures
from trainyard.checking.spec_file import check_text

OFFERED = re.compile(r"^(\s*)# ((?:- |  )?[a-z_]+: .*|(?:- )?[a-z_]+:)$")


def choices(architecture: Architecture) -> Iterator[tuple[int, str]]:
    """Yield each block of commented lines as the number of its first line, and the spec with it uncommented."""
    lines = architecture.text.splitlines()
    # The lines above the first key are for readers and editors.
    first = next(at for at, line in enumerate(lines) if line.startswith("name:"))
    matches = {at: match for at, line in enumerate(lines) if at > first and (match := OFFERED.match(line))}
    for _, block in groupby(enumerate(matches), key=lambda pair: pair[1] - pair[0]):
        numbers = [at for _, at in block]
        changed = {at: f"{matches[at][1]}{matches[at][2]}" for at in numbers}
        yield numbers[0] + 1, "\n".join(changed.get(at, line) for at, line in enumerate(lines)) + "\n"


CHOICES = [
    pytest.param(architecture, text, id=f"{architecture.name}:{line}")
    for architecture in all_architectures()
    for line, text in choices(architecture)
]


def test_every_architecture_offers_something():
    offering = {str(param.id).partition(":")[0] for param in CHOICES}
    assert offering == {architecture.name for architecture in all_architectures()}


@each_case(("architecture", "text"), CHOICES)
def test_what_is_offered_as_a_comment_checks_as_clean_as_the_architecture(architecture: Architecture, text: str):
    plain = {finding.id for finding in check_text(architecture.text, "cluster.yaml").findings}
    offered = [finding for finding in check_text(text, "cluster.yaml").findings if finding.id not in plain]
    assert [f"{finding.id}: {finding.message}" for finding in offered] == []
