from __future__ import annotations

import fcntl
import re
import sys
import threading
from pathlib import Path

import pytest

from trainyard.edge.pcluster_environment import PclusterEnvironment, environment, known_versions
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import quoted

# Said by uv 0.13.8; paths and addresses shortened.
DISK_FULL = """\
error: Failed to install: aws_cdk_aws_ec2-1.204.0-py3-none-any.whl (aws-cdk-aws-ec2==1.204.0)
  cause: Failed to copy to `/cache/aws_cdk/aws_ec2/__init__.py`
  cause: failed to copy file to /cache/aws_cdk/aws_ec2/.tmpbzcYxC: No space left on device (os error 28)
"""
NO_NETWORK = """\
error: Failed to fetch: https://pypi.org/simple/aiohttp/
  cause: error sending request for url (https://pypi.org/simple/aiohttp/)
  cause: client error (Connect)
  cause: dns error
  cause: failed to lookup address information: Name or service not known
"""
NO_PYTHON = "error: No interpreter found for Python >=3.9, <3.14 in managed installations or search path\n"
NOT_IN_INDEX = """\
error: No solution found when resolving dependencies
  cause: Because there is no version of aiohappyeyeballs==2.7.1 and you require aiohappyeyeballs==2.7.1, we can conclude
"""


@pytest.fixture
def make(fake_uv, tmp_path):
    def _make(report=print):
        return environment("3.16.1", report, cache=tmp_path / "cache", uv=fake_uv.program)

    return _make


def hidden_folders(made: PclusterEnvironment) -> list[str]:
    return sorted(entry.name for entry in made.folder.parent.iterdir() if entry.is_dir() and entry != made.folder)


def test_the_folder_names_version_lock_and_python(make):
    name = make().folder.name
    assert re.fullmatch(rf"3\.16\.1-[0-9a-f]{{12}}-py{sys.version_info[0]}\.{sys.version_info[1]}", name)


def test_it_is_made_with_this_python_and_exactly_what_the_lock_says(make, fake_uv):
    building = (made := make()).folder.with_name(f".{made.folder.name}.building")
    venv, install = fake_uv.calls
    assert venv.startswith(f"venv --relocatable --python {sys.executable} {building} ")
    assert install.startswith(
        f"pip install --require-hashes --no-build --no-deps --compile-bytecode --python {building}/bin/python -r "
    )
    assert "/pcluster_locks/3.16.1.txt " in install


def test_a_python_that_is_too_new_leaves_the_choice_to_uv(make, fake_uv, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(sys, "version_info", (3, 14, 0))
        made = make()
    assert made.folder.name.endswith("-py3")
    assert fake_uv.calls[0].startswith("venv --relocatable --python >=3.9,<3.14 ")


def test_it_is_made_once(make, fake_uv):
    made = make()
    assert made.python.exists()
    assert make() == made
    assert len(fake_uv.calls) == 2


def test_progress_tells_what_is_downloaded_and_no_more(make, fake_uv):
    fake_uv.will_end(0, saying="Using Python 3.11\nDownloading botocore (15.8MiB)\n + botocore==1\n")
    told: list[str] = []
    make(told.append)
    title = "ParallelCluster 3.16.1: "
    assert told[0].startswith(f"{title}making its environment (once; ")
    assert f"{title}downloading botocore (15.8MiB)" in told
    assert re.fullmatch(rf"{title}ready in \d+ s", told[-1])
    assert not [line for line in told if "Using" in line or "==" in line]


def test_leftovers_of_a_killed_build_are_removed_and_never_taken_for_whole(make):
    folder = make().folder
    folder.rename(building := folder.with_name(f".{folder.name}.building"))
    (building / "half").touch()
    made = make()
    assert made.python.exists()
    assert not (made.folder / "half").exists()
    assert hidden_folders(made) == []


def test_an_environment_whose_python_is_gone_is_made_again(make, fake_uv):
    made = make()
    made.python.unlink()
    made.python.symlink_to("/nowhere/python")
    make()
    assert made.python.exists()
    assert hidden_folders(made) == []
    assert len(fake_uv.calls) == 4


def test_a_failed_repair_keeps_what_was_there(make, fake_uv):
    made = make()
    made.python.unlink()
    (made.folder / "kept").touch()
    fake_uv.will_end(2, saying=NO_NETWORK)
    with pytest.raises(TrainyardError):
        make()
    assert (made.folder / "kept").exists()


def test_a_second_process_waits_says_so_and_uses_what_the_first_made(make, fake_uv):
    made = make()
    folder = made.folder
    folder.rename(folder.with_name("being made by another process"))
    waiting, told = threading.Event(), []

    def report(line):
        told.append(line)
        waiting.set()

    with folder.with_name(f".{folder.name}.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=make, args=(report,))
        second.start()
        assert waiting.wait(timeout=300)
        folder.with_name("being made by another process").rename(folder)
    second.join(timeout=300)
    assert told == ["ParallelCluster 3.16.1: another process is making its environment, waiting"]
    assert len(fake_uv.calls) == 2


@pytest.mark.parametrize(
    ("said", "problem", "hint"),
    [
        (
            DISK_FULL,
            'no space is left for the environment of ParallelCluster 3.16.1: "Failed to install',
            "TRAINYARD_CACHE",
        ),
        (
            NO_NETWORK,
            'could not reach the package index for ParallelCluster 3.16.1: "Failed to fetch',
            "copy this folder",
        ),
        (NO_PYTHON, 'ParallelCluster 3.16.1 needs a Python >=3.9,<3.14: "No interpreter', "uv python install"),
        (NOT_IN_INDEX, 'the environment of ParallelCluster 3.16.1 could not be made: "No solution', "UV_DEFAULT_INDEX"),
    ],
    ids=["full disk", "no network", "no python", "incomplete index"],
)
def test_a_failed_build_says_why_and_leaves_nothing(make, fake_uv, said, problem, hint):
    fake_uv.will_end(2, saying=said)
    with pytest.raises(TrainyardError) as raised:
        make()
    assert raised.value.problem.startswith(problem)
    assert quoted(said.splitlines()[-1].split(": ", 1)[-1], 1000)[1:-1] in raised.value.problem
    place = Path(raised.value.where or "")
    assert place.parts[-2:] == ("cache", "pcluster")
    assert [entry for entry in place.iterdir() if entry.is_dir()] == []
    assert hint in (raised.value.hint or "")


def test_a_version_without_a_lock_is_refused_with_those_that_have_one(tmp_path):
    with pytest.raises(InputError) as raised:
        environment("3.99.0", print, cache=tmp_path)
    assert raised.value.problem == "trainyard does not know ParallelCluster 3.99.0"
    assert raised.value.hint == f"it knows {', '.join(known_versions())}"


def test_a_cache_folder_that_cannot_be_written_is_named(tmp_path, fake_uv):
    (tmp_path / "file").touch()
    with pytest.raises(TrainyardError) as raised:
        environment("3.16.1", print, cache=tmp_path / "file", uv=fake_uv.program)
    assert raised.value.problem.startswith("the cache folder could not be written: ")
    assert raised.value.where == str(tmp_path / "file" / "pcluster")
    assert "TRAINYARD_CACHE" in (raised.value.hint or "")
