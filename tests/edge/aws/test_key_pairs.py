"""Key pairs whose private key only their owner can read."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ConnectionClosedError

from tests.edge.aws.in_memory import account_in_memory
from trainyard.edge.aws.key_pairs import create_key_pair, key_pair_exists
from trainyard.errors import InputError, TrainyardError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.edge.aws.account import Account


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
