from __future__ import annotations

from pathlib import Path

import pytest

from trainyard.edge.cache_folder import cache_folder


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        pytest.param({"TRAINYARD_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a", id="its own comes first"),
        pytest.param(
            {"TRAINYARD_CACHE": "", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/trainyard", id="empty is unset"
        ),
        pytest.param({"XDG_CACHE_HOME": "b", "HOME": "/c"}, "/c/.cache/trainyard", id="a relative XDG folder"),
        pytest.param({"HOME": "/c"}, "/c/.cache/trainyard", id="nothing set"),
    ],
)
def test_the_cache_folder_is_the_first_that_is_set(variables, expected):
    assert cache_folder(variables) == Path(expected)


def test_a_relative_cache_folder_counts_from_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cache_folder({"TRAINYARD_CACHE": "here"}) == tmp_path / "here"
