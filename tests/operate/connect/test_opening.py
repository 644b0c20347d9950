"""A session is opened where nothing is known to be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.connect.clusters import HEAD, account
from tests.operate.connect.programs import Programs, programs
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.operate.connect.session import open_session, shell_request, ssh_request

pytestmark = pytest.mark.integration


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    made = programs(tmp_path / "bin", "session-manager-plugin")
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    return made


def test_a_shell_is_one_of_the_default_user(plugin: Programs):
    where = account()
    assert open_session(where, shell_request(HEAD, "ubuntu")) == 0
    assert where.calls == ["ssm.DescribeInstanceInformation", "ssm.StartSession", "ssm.TerminateSession"]
    assert '"command": ["sudo su - ubuntu"]' in plugin.calls[0]["arguments"][5]


def test_the_session_s_own_user_needs_no_document(plugin: Programs):
    open_session(account(), shell_request(HEAD, "ssm-user"))
    assert plugin.calls[0]["arguments"][5] == f'{{"Target": "{HEAD}"}}'


def test_ssh_runs_over_the_port_of_sshd(plugin: Programs):
    open_session(account(), ssh_request(HEAD))
    assert '"AWS-StartSSHSession", "Parameters": {"portNumber": ["22"]}' in plugin.calls[0]["arguments"][5]


@pytest.mark.parametrize(
    ("state", "words"),
    [(None, "it is not managed by Systems Manager"), ("ConnectionLost", "its agent is ConnectionLost")],
    ids=str,
)
def test_an_agent_that_is_away_is_told_before_a_session_is_begun(plugin: Programs, state: str | None, words: str):
    where = account(offline={HEAD: state})
    with pytest.raises(TrainyardError, match=words):
        open_session(where, shell_request(HEAD, "ubuntu"))
    assert (where.calls, plugin.calls) == (["ssm.DescribeInstanceInformation"], [])


def test_who_may_not_ask_for_agents_gets_a_session_all_the_same(plugin: Programs):
    where = account(ssm__DescribeInstanceInformation=Refusal("AccessDeniedException"))
    assert open_session(where, shell_request(HEAD, "ubuntu")) == 0
    assert len(plugin.calls) == 1


def test_who_may_not_use_the_document_is_told_what_needs_none(plugin: Programs):
    where = account(ssm__StartSession=Refusal("AccessDeniedException", "User is not authorized"))
    with pytest.raises(TrainyardError, match="not allowed: ssm:StartSession") as told:
        open_session(where, shell_request(HEAD, "ubuntu"))
    assert not isinstance(told.value, NotAllowedError)
    assert "--user ssm-user needs no document" in str(told.value.hint)
    assert "User is not authorized" in str(told.value.hint)
    assert plugin.calls == []


def test_without_the_plugin_no_session_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    where = account()
    with pytest.raises(TrainyardError, match="there is no program session-manager-plugin"):
        open_session(where, shell_request(HEAD, "ubuntu"))
    assert where.calls == []


def test_an_old_plugin_is_told_before_the_session(plugin: Programs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAKE_VERSION", "1.2.707.0")
    told: list[str] = []
    open_session(account(), shell_request(HEAD, "ubuntu"), tell=told.append, opened=lambda: told.append("opened"))
    assert told[0].startswith("session-manager-plugin 1.2.707.0 is older than 1.2.764.0")
    assert told[1:] == ["opened"]
    assert len(plugin.calls) == 1
