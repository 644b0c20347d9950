"""The ssh command and the entry of an ssh_config, as OpenSSH itself reads them."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.operate.connect.clusters import HEAD, LOGIN, NODES, account, instance
from tests.operate.connect.programs import Programs
from trainyard.api.connect import NodeRequest, ssh_entry, ssh_words
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError

PROGRAM = ("/opt/with space/trainyard",)
HOSTILE = "my profile; touch hurt $(touch hurt) `touch hurt` %h %% & # ö"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    made = Programs(tmp_path)
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    return made


def with_profile(profile: str) -> Account:
    where = account()
    object.__setattr__(where, "profile", profile)
    return where


def read_by_ssh(text: str, host: str, folder: Path) -> dict[str, list[str]]:
    """Return what OpenSSH takes an entry for."""
    file = folder / "config"
    file.write_text(text + "\n")
    ssh = which("ssh")
    assert ssh is not None
    read = subprocess.run([ssh, "-G", "-F", str(file), host], capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = {}
    for line in read.stdout.splitlines():
        key, _, value = line.partition(" ")
        found.setdefault(key, []).append(value)
    return found


def words_for_a_shell(proxy: str, folder: Path) -> list[str]:
    """Return the words that a shell makes of a ProxyCommand, as ssh has it run, %% and all."""
    printing = proxy.replace("%%", "%").replace(shlex.quote(PROGRAM[0]), "printf '%s\\n'", 1)
    done = subprocess.run(["sh", "-c", printing], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout.splitlines()


@pytest.mark.integration
def test_openssh_reads_the_entry_as_it_is_meant(home: Programs, tmp_path: Path):
    key = home.key("ml-key.pem")
    entry = ssh_entry(account(), NodeRequest("lab"), PROGRAM)
    read = read_by_ssh(entry.text, entry.host, tmp_path)
    assert (entry.host, read["hostname"], read["user"]) == ("lab", ["lab"], ["ubuntu"])
    assert (read["identityfile"], read["identitiesonly"]) == ([str(key)], ["yes"])
    assert read["proxycommand"] == ["'/opt/with space/trainyard' connect lab --region us-east-2 --ssh-proxy"]


@pytest.mark.integration
def test_an_entry_of_another_node_names_it_as_it_was_named(home: Programs, tmp_path: Path):
    entry = ssh_entry(account(), NodeRequest("lab", "login", "alice"), PROGRAM)
    read = read_by_ssh(entry.text, "lab-login", tmp_path)
    assert (read["user"], read["proxycommand"][0].split()[-3:]) == (["alice"], ["--node", "login", "--ssh-proxy"])
    assert "IdentityFile" not in entry.text
    assert home.calls == []


@pytest.mark.integration
def test_a_hostile_profile_is_one_word_for_openssh_and_for_the_shell_that_it_starts(home: Programs, tmp_path: Path):
    entry = ssh_entry(with_profile(HOSTILE), NodeRequest("lab"), PROGRAM)
    (proxy,) = read_by_ssh(entry.text, "lab", tmp_path)["proxycommand"]
    words = words_for_a_shell(proxy, tmp_path)
    assert words == ["connect", "lab", "--region", "us-east-2", "--profile", HOSTILE, "--ssh-proxy"]
    assert not list(tmp_path.rglob("hurt"))
    assert home.calls == []


@pytest.mark.parametrize("profile", ["a'b", 'a"b', "a\\", "a\nHost *", "a\x1b[2J"], ids=repr)
def test_what_would_break_the_line_of_an_ssh_config_is_refused(home: Programs, profile: str):
    with pytest.raises(InputError, match="cannot stand in an ssh_config"):
        ssh_entry(with_profile(profile), NodeRequest("lab"), PROGRAM)
    assert home.calls == []


def test_a_key_whose_path_openssh_would_change_is_refused(home: Programs):
    with pytest.raises(InputError, match=r"cannot stand in an ssh_config"):
        ssh_entry(account(), NodeRequest("lab"), PROGRAM, home.key("${HOME}.pem"))


def test_an_entry_says_nothing_of_the_account(home: Programs):
    text = ssh_entry(account(), NodeRequest("lab"), PROGRAM).text
    assert "123456789012" not in text
    assert HEAD not in text
    assert home.calls == []


def test_a_node_with_a_public_address_is_reached_there(home: Programs):
    key = home.key("ml-key.pem")
    words = ssh_words(account(), NodeRequest("lab", "login"), PROGRAM, more=("-L", "8888:localhost:8888"))
    assert words == ("ssh", "-i", str(key), "ubuntu@203.0.113.9", "-L", "8888:localhost:8888")


@pytest.mark.integration
def test_a_node_without_one_is_reached_through_systems_manager(home: Programs, tmp_path: Path):
    home.key("ml-key")
    words = ssh_words(account(), NodeRequest("lab"), PROGRAM)
    assert words[-1] == f"ubuntu@{HEAD}"
    option = words[words.index("-o") + 1]
    ssh = which("ssh")
    read = subprocess.run(
        [str(ssh), "-G", "-F", "none", "-o", option, words[-1]],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    proxy = f"'/opt/with space/trainyard' connect lab --region us-east-2 --node {HEAD} --ssh-proxy"
    assert f"proxycommand {proxy}" in read.stdout.splitlines()


def test_a_key_that_is_nowhere_is_told_with_its_name(home: Programs):
    with pytest.raises(InputError, match=r"the private key of key pair 'ml-key' is not in ~/\.ssh") as told:
        ssh_words(account(), NodeRequest("lab"), PROGRAM)
    assert "a session needs no key" in str(told.value.hint)
    assert home.calls == []


def test_with_an_ssh_agent_the_key_may_be_there(home: Programs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSH_AUTH_SOCK", "/somewhere")
    assert ssh_words(account(), NodeRequest("lab", LOGIN), PROGRAM) == ("ssh", "ubuntu@203.0.113.9")
    assert home.calls == []


def test_a_head_node_without_a_key_pair_is_told(home: Programs):
    with pytest.raises(InputError, match="was launched without a key pair"):
        ssh_words(account(instance(HEAD, "HeadNode", "10.0.0.5", key_pair=None)), NodeRequest("lab"), PROGRAM)
    assert home.calls == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "x" * 300, "a\nb"], ids=lambda name: name[:20])
def test_a_key_pair_with_a_hostile_name_is_looked_for_nowhere(home: Programs, name: str):
    node = instance(HEAD, "HeadNode", "10.0.0.5", key_pair=name)
    with pytest.raises(InputError, match=r"is not in ~/\.ssh"):
        ssh_words(account(node), NodeRequest("lab"), PROGRAM)
    assert home.calls == []


def test_a_stopped_node_is_told_before_any_key_is_looked_for(home: Programs):
    with pytest.raises(TrainyardError, match="is stopped"):
        ssh_words(account(instance(HEAD, "HeadNode", "10.0.0.5", state="stopped")), NodeRequest("lab"), PROGRAM)
    assert home.calls == []


def test_the_entry_of_a_stopped_node_can_be_printed(home: Programs):
    stopped = account(instance(HEAD, "HeadNode", "10.0.0.5", state="stopped"), *NODES[1:])
    assert ssh_entry(stopped, NodeRequest("lab"), PROGRAM).host == "lab"
    assert home.calls == []
