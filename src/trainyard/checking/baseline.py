"""Findings that a team knows already: written into a file, and left out of later checks until they are gone."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.checking.spec_file import FileFindings
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError, InputError
from trainyard.finding import Finding

_SCHEMA = 1
_KEYS = ("file", "id", "path", "message")

Identity = tuple[str, str, str | None, str]
"""The file, seen from the baseline's folder, the id, the path and the message: what stays when lines move."""


class Baseline(NamedTuple):
    """What a file of known findings lists."""

    folder: Path
    known: Counter[Identity]


def read_baseline(file: str) -> Baseline:
    """Return what a baseline lists. Raises InputError where it is none, or cannot be read."""
    try:
        known = _known(json.loads(read_text(file)))
    except FindingsError as error:
        raise InputError(error.findings[0].message, where=file, hint="--write-baseline makes one") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        hint = "write it anew with --write-baseline"
        raise InputError(f"{file} is no baseline of trainyard", where=file, hint=hint) from None
    return Baseline(Path(file).absolute().parent, known)


def without_known(checked: Iterable[FileFindings], baseline: Baseline) -> Iterator[FileFindings]:
    """Yield the findings of each file without those of the baseline, each as often as it lists it."""
    left = Counter(baseline.known)
    for file in checked:
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in file.findings:
            identity = _identity(finding, baseline.folder)
            (known if left[identity] else new).append(finding)
            left[identity] -= left[identity] > 0
        yield file._replace(findings=tuple(new), known=tuple(known))


def baseline_text(checked: Iterable[FileFindings], file: str) -> str:
    """Return the baseline of findings, for a file: a line each, in their order, to be read in a review."""
    folder = Path(file).absolute().parent
    found = sorted((_identity(finding, folder) for each in checked for finding in each.findings), key=str)
    lines = [json.dumps(dict(zip(_KEYS, identity, strict=True)), ensure_ascii=False) for identity in found]
    text = f'{{"schema": {_SCHEMA}, "findings": [' + ",".join(f"\n  {line}" for line in lines) + "\n]}\n"
    # Half a surrogate pair, as of a name that is not UTF-8, is an escape in JSON, too.
    return text.encode(errors="backslashreplace").decode()


def _known(content: Any) -> Counter[Identity]:
    if content["schema"] != _SCHEMA:
        raise ValueError
    return Counter(_identity_of(finding) for finding in content["findings"])


def _identity(finding: Finding, folder: Path) -> Identity:
    file = finding.file or ""
    place = file if file in {"", "-"} else os.path.relpath(Path(file).absolute(), folder)
    return Path(place).as_posix(), finding.id, finding.path, finding.message


def _identity_of(written: Any) -> Identity:
    file, id_, path, message = (written[key] for key in _KEYS)
    if not all(isinstance(value, str) for value in (file, id_, path or "", message)):
        raise TypeError
    return file, id_, path, message
