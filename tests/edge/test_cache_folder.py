from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainyard.edge.cache_folder import cache_folder, refuse_folder_of_others
from trainyard.errors import TrainyardError


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


def test_a_folder_of_one_s_own_is_fine_whether_it_is_there_or_not(tmp_path):
    refuse_folder_of_others(tmp_path)
    refuse_folder_of_others(tmp_path / "missing" / "below")


@pytest.mark.parametrize("writable", ["", "a", "a/b"])
def test_a_folder_that_others_may_write_to_is_refused_at_any_level(tmp_path, writable):
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    (tmp_path / writable).chmod(0o777)
    with pytest.raises(TrainyardError, match="may be written by others"):
        refuse_folder_of_others(folder)
    (tmp_path / writable).chmod(0o1777)
    refuse_folder_of_others(folder)


def test_a_link_to_such_a_folder_is_refused(tmp_path):
    (tmp_path / "open").mkdir(mode=0o700)
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    with pytest.raises(TrainyardError, match="link may be written by others"):
        refuse_folder_of_others(tmp_path / "link")


@pytest.mark.skipif(os.getuid() != 0, reason="hardware: only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path):
    os.chown(tmp_path, 12345, 0)
    with pytest.raises(TrainyardError, match="belongs to the user 12345"):
        refuse_folder_of_others(tmp_path / "pcluster")
