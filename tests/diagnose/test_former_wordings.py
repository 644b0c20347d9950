"""What former versions of a program said is found by the signature that knows the message of today.

The messages are those of the versions at the commits that the file names, which the catalogues of today no longer have;
they were taken by their likeness to a message that a signature knows by its words, and kept where they mean the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.found import causes_of_line

_HERE = Path(__file__).parent
_FORMER: dict[str, Any] = json.loads((_HERE / "former_wordings.json").read_text())


@pytest.mark.parametrize("catalogue", _FORMER)
def test_a_former_wording_is_found_by_its_signature(catalogue: str):
    form = json.loads((_HERE / "catalogues" / f"{catalogue}.json").read_text())["error"]
    former = _FORMER[catalogue]["messages"]
    missed = [
        message["message"]
        for message in former
        if not {cause.id for cause in causes_of_line(form.replace("{}", message["message"]))} & {*message["causes"]}
    ]
    assert former
    assert missed == []


@pytest.mark.parametrize("catalogue", _FORMER)
def test_every_version_has_its_commit(catalogue: str):
    assert {message["version"] for message in _FORMER[catalogue]["messages"]} == set(_FORMER[catalogue]["commits"])
    assert all(len(commit) == len("0" * 40) for commit in _FORMER[catalogue]["commits"].values())
