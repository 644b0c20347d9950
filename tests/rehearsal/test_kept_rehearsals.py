"""Rehearsals that stay up: beside each other, for their user alone, told from those that were killed, and ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from tests import program
from tests.full_disk import files_of_at_most
from tests.waiting import wait_until
from trainyard.errors import InputError, TrainyardError
from trainyard.rehearsal.kept_record import read_record, write_record
from trainyard.rehearsal.kept_rehearsal import (
    NAME_VARIABLE,
    KeptRehearsal,
    current_rehearsal,
    kept_rehearsal,
    kept_rehearsals,
    new_rehearsal,
    stop,
)
from trainyard.rehearsal.rehearsal import page

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

REGION = "us-east-2"
ABOUT = {"cluster": "llm", "platform": "batch"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state folder of the test's own, in which nothing survives it."""
    for name in ("AWS_ENDPOINT_URL", NAME_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRAINYARD_STATE", str(tmp_path / "state"))
    yield tmp_path / "state"
    monkeypatch.setenv("TRAINYARD_STATE", str(tmp_path / "state"))
    for kept in kept_rehearsals():
        stop(kept)


def new(name: str) -> AbstractContextManager[KeptRehearsal]:
    return new_rehearsal(name, REGION, ABOUT, {"region": REGION})


def test_two_are_there_side_by_side_and_each_answers_its_own_key_alone(state: Path):
    with new("first") as first, new("second") as second:
        pass
    assert [kept.name for kept in kept_rehearsals()] == ["first", "second"]
    first.account.client("s3").create_bucket(Bucket="ours", CreateBucketConfiguration={"LocationConstraint": REGION})
    assert "S3 buckets" in page(first.account, "inventory")
    assert "S3 buckets" not in page(second.account, "inventory")
    astray = replace(first.account, credentials=second.account.credentials)
    with pytest.raises(TrainyardError, match="not that of this emulated account"):
        _ = astray.id
    assert page(astray, "inventory")["__type"] == "InvalidClientTokenId"
    modes = [(state / "rehearsals" / "first" / name).stat().st_mode & 0o077 for name in ("", "rehearsal.json")]
    assert modes == [0, 0]
    stop(first)
    assert [kept.name for kept in kept_rehearsals()] == ["second"]


@pytest.mark.exhaustive
def test_presigned_addresses_carry_the_key_too():
    with new("first") as kept:
        s3 = kept.account.client("s3")
        s3.create_bucket(Bucket="ours", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="ours", Key="a", Body=b"text")
        address = s3.generate_presigned_url("get_object", Params={"Bucket": "ours", "Key": "a"})
        assert subprocess.run(["curl", "-s", address], capture_output=True, check=True).stdout == b"text"
        unsigned = subprocess.run(["curl", "-s", address.partition("?")[0]], capture_output=True, check=True)
        assert b"InvalidClientTokenId" in unsigned.stdout


@pytest.mark.exhaustive
def test_one_whose_process_was_killed_blocks_nothing(state: Path):
    with new("first") as kept:
        pass
    os.kill(kept.record.process, signal.SIGKILL)
    wait_until(lambda: not kept.record.is_running)
    assert kept_rehearsals() == []
    with pytest.raises(TrainyardError, match="rehearsal first has ended"):
        kept_rehearsal("first")
    with new("first") as again:
        assert again.account.id == kept_rehearsal("first").account.id
    assert again.credentials != kept.credentials


@pytest.mark.exhaustive
def test_a_record_of_another_process_with_the_same_id_is_no_rehearsal():
    with new("first") as kept:
        stop_server = kept.record
    write_record(kept.folder, kept.record._replace(process=os.getpid()))
    wait_until(lambda: not stop_server.is_running)  # the record is not its own any more
    assert kept_rehearsals() == []
    stale = replace(kept, record=kept.record._replace(process=os.getpid()))
    stop(stale)  # and this process is not killed
    assert not kept.folder.exists()


def test_it_ends_with_its_folder_and_when_what_starts_it_fails():
    with new("first") as kept:
        shutil.rmtree(kept.folder)
    wait_until(lambda: not kept.record.is_running)

    def failing() -> None:
        with new("second") as second:
            started.append(second)
            raise KeyboardInterrupt

    started: list[KeptRehearsal] = []
    with pytest.raises(KeyboardInterrupt):
        failing()
    assert not started[0].record.is_running
    assert not started[0].folder.exists()


def test_a_name_is_kept_once_and_is_no_path():
    with new("first"):
        with pytest.raises(InputError, match="a rehearsal first is kept already") as told:
            new("first").__enter__()
        assert "trainyard rehearse first --stop" in str(told.value.hint)
        assert [kept.name for kept in kept_rehearsals()] == ["first"]
    for name in ("../a", "a/b", "", "a.b"):
        with pytest.raises(InputError, match="is no name"):
            new(name).__enter__()


@pytest.mark.parametrize("size_bytes", [10, 200])
def test_a_full_disk_is_said_and_leaves_nothing(state: Path, size_bytes: int):
    with pytest.raises(TrainyardError) as told, files_of_at_most(size_bytes):
        new("first").__enter__()
    assert "the rehearsal cannot be kept in" in told.value.problem or "did not start" in told.value.problem
    assert not (state / "rehearsals" / "first").exists()
    assert kept_rehearsals() == []


def test_a_state_folder_that_cannot_be_made_is_said(state: Path):
    state.write_text("a file")
    with pytest.raises(TrainyardError, match="the rehearsal cannot be kept in") as told:
        new("first").__enter__()
    assert "TRAINYARD_STATE" in str(told.value.hint)


def test_what_is_meant_for_an_emulation_never_reaches_aws():
    with new("first") as kept:
        pass
    assert current_rehearsal({}) is None
    assert current_rehearsal({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}) is None
    assert current_rehearsal(kept.variables()) == kept
    assert current_rehearsal({"AWS_ENDPOINT_URL": kept.endpoint}) == kept
    for variables in (
        {NAME_VARIABLE: "first"},
        {NAME_VARIABLE: "first", "AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
        {NAME_VARIABLE: "second", "AWS_ENDPOINT_URL": kept.endpoint},
    ):
        with pytest.raises(TrainyardError, match=f"{NAME_VARIABLE} says {variables[NAME_VARIABLE]}"):
            current_rehearsal(variables)
    stop(kept)
    with pytest.raises(TrainyardError, match=f"{NAME_VARIABLE} says first"):
        current_rehearsal(kept.variables())


def test_the_command_line_lists_shows_and_ends_them(state: Path):
    own = {"TRAINYARD_STATE": str(state)}
    assert program.run("rehearse", "--list", variables=own).out == "no rehearsal is kept\n"
    assert program.run("rehearse", "--stop", variables=own).status == 1
    with new("first") as first, new("second"):
        pass
    listed = program.run("rehearse", "--list", variables=own).out
    assert [line.split()[0] for line in listed.splitlines()] == ["first", "second"]
    assert f"batch in us-east-2, at {first.endpoint}, process {first.record.process}" in listed
    shown = json.loads(program.run("rehearse", "first", "--json", variables=own).out)
    assert shown["variables"] == first.variables()
    lines = program.run("rehearse", "first", variables=own).out.splitlines()
    assert f"export AWS_ENDPOINT_URL={first.endpoint}" in lines
    assert f"export {NAME_VARIABLE}=first" in lines
    several = program.run("rehearse", "--stop", variables=own)
    assert (several.status, "several are kept: first, second" in several.err) == (2, True)
    assert program.run("rehearse", "first", "--stop", variables=own).out == "first has ended; nothing is left of it\n"
    ended = program.run("rehearse", "--stop", "--all", "--json", variables=own)
    assert json.loads(ended.out) == {"schema": 1, "stopped": ["second"]}
    unknown = program.run("rehearse", "first", variables=own)
    assert (unknown.status, "rehearsal first is not kept" in unknown.err) == (1, True)
    assert not first.record.is_running
    assert read_record(first.folder) is None


def test_what_is_said_to_every_command(state: Path):
    with new("first") as kept:
        inside = {**kept.variables(), "TRAINYARD_STATE": str(state)}
        listed = program.run("status", "--json", variables=inside)
        assert (listed.status, json.loads(listed.out)["emulation"]) == (0, "first")
        assert listed.err == f"the kept rehearsal first answers at {kept.endpoint}, not AWS\n"
        other = program.run("status", "--profile", "ml", variables=inside)
        assert (other.status, "the kept rehearsal first has no profile ml" in other.err) == (2, True)
    stop(kept)
    gone = program.run("status", variables=inside)
    assert (gone.status, gone.out) == (1, "")
    assert f"{NAME_VARIABLE} says first, and no such rehearsal answers at {kept.endpoint}" in gone.err
