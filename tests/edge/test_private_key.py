"""Private keys, checked before ssh is."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainyard.edge.private_key import checked_key, key_of_pair
from trainyard.errors import InputError

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"


def written(file: Path, text: str = KEY, mode: int = 0o600) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


def test_a_private_key_of_one_s_own_is_fine(tmp_path: Path):
    file = written(tmp_path / "key")
    assert checked_key(file) == file
    assert checked_key(written(tmp_path / "read-only", mode=0o400))


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o666, 0o601], ids=oct)
def test_a_key_that_others_may_read_is_refused_as_ssh_refuses_it(tmp_path: Path, mode: int):
    file = written(tmp_path / "key", mode=mode)
    with pytest.raises(InputError, match=f"others may read this private key \\({mode:04o}\\)") as told:
        checked_key(file)
    assert told.value.hint == f"`chmod 600 {file}`"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ssh-ed25519 AAAAC3Nz me", "public half"),
        ("PuTTY-User-Key-File-3: ssh-ed25519\n", "puttygen"),
        ("", "--key"),
        ("<html>", "--key"),
    ],
    ids=["public", "putty", "empty", "a page"],
)
def test_what_is_no_private_key_is_told_with_what_it_is(tmp_path: Path, text: str, hint: str):
    with pytest.raises(InputError, match="this is no private key that ssh can read") as told:
        checked_key(written(tmp_path / "key", text))
    assert hint in str(told.value.hint)


def test_a_file_that_is_not_there_or_is_a_folder_is_told(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        checked_key(tmp_path / "nowhere")
    with pytest.raises(InputError, match="this is no file"):
        checked_key(tmp_path)


@pytest.mark.parametrize("name", ["ml-key.pem", "ml-key"])
def test_the_key_of_a_pair_is_found_in_the_folder_of_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_of_pair("ml-key") is None
    file = written(tmp_path / ".ssh" / name)
    assert key_of_pair("ml-key") == file
