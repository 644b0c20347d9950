"""Key pairs whose private key only their owner can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.key_pairs import create_key_pair, finish_key_pair, key_pair_exists, key_pair_unfinished
from trainyard.errors import InputError, TrainyardError


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        yield made


def test_the_private_key_is_written_for_its_owner_alone(account, tmp_path):
    file = tmp_path / "ml-key.pem"
    create_key_pair(account, "ml-key", file, {"trainyard:cluster": "llm"})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "PRIVATE KEY" in file.read_text()
    assert key_pair_exists(account, "ml-key")


def test_a_file_that_exists_is_not_replaced_and_no_key_is_made(account, tmp_path):
    file = tmp_path / "ml-key.pem"
    file.write_text("somebody's key")
    with pytest.raises(InputError, match="cannot write the private key: File exists"):
        create_key_pair(account, "ml-key", file, {})
    assert file.read_text() == "somebody's key"
    assert not key_pair_exists(account, "ml-key")


def test_a_folder_that_is_missing_costs_no_key(account, tmp_path):
    with pytest.raises(InputError, match="No such file or directory"):
        create_key_pair(account, "ml-key", tmp_path / "missing" / "ml-key.pem", {})
    assert not key_pair_exists(account, "ml-key")


def test_a_key_pair_of_somebody_else_is_left_alone(account, tmp_path):
    account.client("ec2").create_key_pair(KeyName="ml-key")
    with pytest.raises(TrainyardError, match="could not create key pair ml-key"):
        create_key_pair(account, "ml-key", tmp_path / "ml-key.pem", {})
    assert key_pair_exists(account, "ml-key")
    assert not (tmp_path / "ml-key.pem").exists()


def test_a_key_whose_answer_was_lost_is_made_again(account, tmp_path, monkeypatch):
    client = account.client("ec2")
    made = client.create_key_pair
    answers = iter([True, False])

    def lossy(**arguments: Any) -> Any:
        answer = made(**arguments)
        if next(answers):
            raise ConnectionClosedError(endpoint_url="https://ec2")
        return answer

    monkeypatch.setattr(client, "create_key_pair", lossy)
    file = tmp_path / "ml-key.pem"
    create_key_pair(account, "ml-key", file, {})
    assert "PRIVATE KEY" in file.read_text()


OWN = {"trainyard:cluster": "llm"}


def unfinished(account: Account) -> None:
    """Make what a call leaves that was killed right after it had made the key pair."""
    tags = [{"Key": key, "Value": value} for key, value in {**OWN, "trainyard:call": "0123"}.items()]
    marks = [{"ResourceType": "key-pair", "Tags": tags}]
    account.client("ec2").create_key_pair(KeyName="ml-key", TagSpecifications=marks)


def test_a_full_disk_costs_neither_a_key_pair_nor_a_file(account, tmp_path, monkeypatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="cannot write the private key: No space left on device"):
        create_key_pair(account, "ml-key", tmp_path / "ml-key.pem", OWN)
    assert not key_pair_exists(account, "ml-key")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_takes_the_key_pair_back(account, tmp_path, monkeypatch):
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        create_key_pair(account, "ml-key", tmp_path / "ml-key.pem", OWN)
    assert not key_pair_exists(account, "ml-key")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_what_a_killed_call_left(account, tmp_path):
    file = tmp_path / "ml-key.pem"
    file.touch()
    create_key_pair(account, "ml-key", file, OWN)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "PRIVATE KEY" in file.read_text()


def test_a_link_is_not_replaced(account, tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    with pytest.raises(InputError, match="File exists"):
        create_key_pair(account, "ml-key", tmp_path / "link", OWN)
    assert (tmp_path / "link").is_symlink()


def test_a_key_pair_is_finished_once_its_file_is_written(account, tmp_path):
    create_key_pair(account, "ml-key", tmp_path / "ml-key.pem", OWN)
    assert not key_pair_unfinished(account, "ml-key", OWN)


@pytest.mark.parametrize("left", [None, ""], ids=["no file", "an empty file"])
def test_a_key_pair_whose_private_key_was_lost_is_made_again(account, tmp_path, left):
    unfinished(account)
    assert key_pair_unfinished(account, "ml-key", OWN)
    file = tmp_path / "ml-key.pem"
    if left is not None:
        file.write_text(left)
    before = account.client("ec2").describe_key_pairs()["KeyPairs"][0]["KeyPairId"]
    finish_key_pair(account, "ml-key", file, OWN)
    (after,) = account.client("ec2").describe_key_pairs()["KeyPairs"]
    assert after["KeyPairId"] != before
    assert "PRIVATE KEY" in file.read_text()
    assert not key_pair_unfinished(account, "ml-key", OWN)


def test_a_key_pair_whose_private_key_was_written_stays(account, tmp_path):
    unfinished(account)
    file = tmp_path / "ml-key.pem"
    file.write_text("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n")
    before = account.client("ec2").describe_key_pairs()["KeyPairs"][0]["KeyPairId"]
    finish_key_pair(account, "ml-key", file, OWN)
    assert account.client("ec2").describe_key_pairs()["KeyPairs"][0]["KeyPairId"] == before
    assert not key_pair_unfinished(account, "ml-key", OWN)


def test_another_file_is_not_replaced_by_a_lost_private_key(account, tmp_path):
    unfinished(account)
    (tmp_path / "notes").write_text("notes")
    with pytest.raises(InputError, match="was lost when a call ended early"):
        finish_key_pair(account, "ml-key", tmp_path / "notes", OWN)
    assert (tmp_path / "notes").read_text() == "notes"


def test_a_key_pair_of_another_cluster_is_not_ours_to_finish(account):
    unfinished(account)
    assert not key_pair_unfinished(account, "ml-key", {"trainyard:cluster": "other"})
    assert not key_pair_unfinished(account, "missing", OWN)


def test_a_written_key_outlives_whatever_fails_after_it(account, tmp_path, monkeypatch):
    def fails(**_: Any) -> None:
        raise ConnectionClosedError(endpoint_url="https://ec2")

    with monkeypatch.context() as patch:
        patch.setattr(account.client("ec2"), "create_tags", fails)
        with pytest.raises(TrainyardError, match="could not tag key pair ml-key"):
            create_key_pair(account, "ml-key", tmp_path / "ml-key.pem", OWN)
    written = (tmp_path / "ml-key.pem").read_text()
    assert key_pair_unfinished(account, "ml-key", OWN)
    finish_key_pair(account, "ml-key", tmp_path / "ml-key.pem", OWN)
    assert (tmp_path / "ml-key.pem").read_text() == written
    assert not key_pair_unfinished(account, "ml-key", OWN)
