"""Real failures and harmless look-alikes, each with its true cause: lines of one log, and archives of a cluster's logs.

Messages are kept as programs print them, with the thread that they come from as ``source``; times, hosts, addresses and
ids are drawn anew. Archives are composed of such lines among healthy ones, and hold what `export-cluster-logs` writes.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent
# Python 3.11 has it since its fourth patch, and Debian 12 the second: https://docs.python.org/3/library/tarfile.html
_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
LINES: list[dict[str, Any]] = json.loads((_FOLDER / "single.json").read_text())
"""Of one log each: its ``lines``, the name of the log as ``stream``, and the ``cause`` that a person found."""
ARCHIVES: list[dict[str, Any]] = [json.loads(file.read_text()) for file in sorted(_FOLDER.glob("archives/*.json"))]
LINE_CASES = [pytest.param(one, id=one["id"]) for one in LINES]
ARCHIVE_CASES = [pytest.param(one, id=one["id"]) for one in ARCHIVES]
HEALTHY_CASES = [pytest.param(one, id=one["id"]) for one in ARCHIVES if one["harmless"]]


BLIND: list[dict[str, Any]] = [
    case for file in sorted(_FOLDER.glob("blind/*.json")) for case in json.loads(file.read_text())
]
"""Written before anybody looked at the signatures: ``decisive`` is what one of the first two lines of the answer has to
say, any of them where there are several; where it is null, nothing is wrong. What is a warning by its nature has
``warning``, and null there where it may be either."""
BLIND_CASES = [pytest.param(one, id=one["id"]) for one in BLIND]


FACTS: list[dict[str, Any]] = [
    case for file in sorted(_FOLDER.glob("facts*.json")) for case in json.loads(file.read_text())
]
"""Written as blindly: lines that leave open what is wrong, with a value or a neighbour that decides it. ``says`` has
words of which the answer has to have one; what is not certain is ``unsure``. ``versions`` are those that the log
states, and ``conflict`` is the case of the catalog that they are."""
FACT_CASES = [pytest.param(one, id=one["id"]) for one in FACTS]


CHAINS: list[dict[str, Any]] = [
    case for file in sorted(_FOLDER.glob("chains/*.json")) for case in json.loads(file.read_text())
]
"""Failures that several logs tell of: their ``files``, what is ``decisive`` as above, and as ``apart`` what has other
causes, and must not be told as following from the first."""
CHAIN_CASES = [pytest.param(one, id=one["id"]) for one in CHAINS]


def shows(case: dict[str, Any], texts: Iterable[str]) -> bool:
    """Tell whether lines of evidence have what is decisive in a case written blindly."""
    decisive = [case["decisive"]] if isinstance(case["decisive"], str) else case["decisive"]
    return any(words in text for text in texts for words in decisive)


def archive_of(case: dict[str, Any]) -> Path:
    """Return the archive of a case."""
    return _FOLDER / "archives" / f"{case['id']}.tar.gz"


def unpacked(case: dict[str, Any], folder: Path) -> Path:
    """Unpack an archive, and return the folder in it that has the logs."""
    with tarfile.open(archive_of(case)) as archive:
        archive.extractall(folder, **_FILTER)
    return folder / str(case["root"])
