"""session-manager-plugin: found, started with the token hidden, left to the terminal, and its session ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.operate.connect.clusters import HEAD, account
from tests.operate.connect.programs import Programs, programs
from tests.waiting import wait_until
from trainyard.edge.aws.ssm_sessions import Session, SessionRequest
from trainyard.edge.session_manager import Plugin, hold_session, installed_plugin
from trainyard.errors import TrainyardError

pytestmark = pytest.mark.integration
REQUEST = SessionRequest(HEAD, "AWS-StartInteractiveCommand", {"command": "sudo su - ubuntu"})
SESSION = Session("me-0123456789abcdef0", "very-secret", "wss://example/stream")
REPOSITORY = Path(__file__).parents[2]
# Holds a session in a process of its own, which can be sent signals.
HOLDING = """
import sys
from tests.edge.test_session_manager import REQUEST, SESSION
from tests.operate.connect.clusters import account
from trainyard.edge.session_manager import hold_session, installed_plugin
where = account()
status = hold_session(where, installed_plugin(), REQUEST, SESSION)
print(*where.calls, status, file=sys.stderr)
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    made = programs(tmp_path / "bin", "session-manager-plugin")
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    return made


def test_the_program_gets_what_the_aws_cli_gives_it_and_the_session_has_ended_afterwards(plugin: Programs):
    where = account()
    assert hold_session(where, installed_plugin(), REQUEST, SESSION) == 0
    (call,) = plugin.calls
    variable, region, operation, profile, parameters, endpoint = call["arguments"][1:]
    assert (variable, region, operation, profile) == ("AWS_SSM_START_SESSION_RESPONSE", "us-east-2", "StartSession", "")
    assert json.loads(parameters) == {
        "Target": HEAD, "DocumentName": "AWS-StartInteractiveCommand", "Parameters": {"command": ["sudo su - ubuntu"]}
    }  # fmt: skip
    assert endpoint == "https://ssm.us-east-2.amazonaws.com"
    assert call["session"] == {"SessionId": SESSION.id, "TokenValue": SESSION.token, "StreamUrl": SESSION.url}
    assert where.calls == ["ssm.TerminateSession"]


def test_the_token_is_in_no_argument(plugin: Programs):
    hold_session(account(), installed_plugin(), REQUEST, SESSION)
    (call,) = plugin.calls
    assert not [word for word in call["arguments"] if SESSION.token in word]
    assert [name for name, value in call["variables"].items() if SESSION.token in value] == [
        "AWS_SSM_START_SESSION_RESPONSE"
    ]


def test_it_listens_on_this_machine_alone_whatever_the_environment_says(
    plugin: Programs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSM_PLUGIN_LOCAL_HOST", "0.0.0.0")
    hold_session(account(), installed_plugin(), REQUEST, SESSION)
    assert "SSM_PLUGIN_LOCAL_HOST" not in plugin.calls[0]["variables"]


def test_the_rights_of_a_profile_are_those_of_the_program_too(plugin: Programs):
    where = account()
    object.__setattr__(where, "profile", "ml")
    hold_session(where, installed_plugin(), REQUEST, SESSION)
    (call,) = plugin.calls
    assert (call["arguments"][4], call["variables"]["AWS_PROFILE"]) == ("ml", "ml")


@pytest.mark.parametrize(("does", "status"), [("fails", 3), ("dies", -signal.SIGKILL)])
def test_a_program_that_ends_badly_leaves_no_session_open(
    plugin: Programs, monkeypatch: pytest.MonkeyPatch, does: str, status: int
):
    monkeypatch.setenv("FAKE_DOES", does)
    where = account()
    assert hold_session(where, installed_plugin(), REQUEST, SESSION) == status
    assert where.calls == ["ssm.TerminateSession"]
    assert len(plugin.calls) == 1


def test_a_program_that_cannot_be_started_leaves_no_session_open(tmp_path: Path):
    broken = tmp_path / "session-manager-plugin"
    broken.write_text("#!/nowhere/python\n")
    broken.chmod(0o755)
    where = account()
    with pytest.raises(TrainyardError, match="cannot be started: No such file"):
        hold_session(where, Plugin(str(broken), "1.2.764.0"), REQUEST, SESSION)
    assert where.calls == ["ssm.TerminateSession"]


def holding(plugin: Programs) -> subprocess.Popen[str]:
    """Hold a session in a process, and return it when the program waits."""
    environment = {**os.environ, **plugin.variables, "FAKE_DOES": "waits"}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING], env=environment, cwd=REPOSITORY, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_until(lambda: plugin.calls or process.poll() is not None)
    if not plugin.calls:
        pytest.fail("".join(process.communicate()))
    return process


def test_ctrl_c_goes_to_the_program_which_ends_its_session_in_good_order(plugin: Programs):
    process = holding(plugin)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=300)
    assert plugin.signals == ["SIGINT"]
    assert "Terminate signal received" in out
    assert (process.returncode, err.split()) == (0, ["ssm.TerminateSession", "0"])


def test_who_ends_this_process_ends_the_program_and_the_session_with_it(plugin: Programs):
    process = holding(plugin)
    process.terminate()
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err.split()) == (0, ["ssm.TerminateSession", str(-signal.SIGTERM)])


def test_a_missing_program_is_told_with_where_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TrainyardError, match="there is no program session-manager-plugin here") as told:
        installed_plugin()
    assert "session-manager-working-with-install-plugin" in str(told.value.hint)


@pytest.mark.parametrize("version", ["1.2.497.0", "1.1.17.0", "1.2"])
def test_a_program_that_takes_the_token_in_its_arguments_alone_is_refused(
    plugin: Programs, monkeypatch: pytest.MonkeyPatch, version: str
):
    monkeypatch.setenv("FAKE_VERSION", version)
    with pytest.raises(TrainyardError, match=f"{version} would show the token") as told:
        installed_plugin()
    assert "1.2.764.0 or newer" in str(told.value.hint)
    assert plugin.calls == []


@pytest.mark.parametrize(("version", "noted"), [("1.2.536.0", True), ("1.2.764.0", False), ("1.10.0.0", False)])
def test_a_program_that_is_older_than_aws_wants_is_used_and_told(
    plugin: Programs, monkeypatch: pytest.MonkeyPatch, version: str, *, noted: bool
):
    monkeypatch.setenv("FAKE_VERSION", version)
    found = installed_plugin()
    assert (found.version, found.note is not None) == (version, noted)
    assert found.path == str(plugin.folder / "session-manager-plugin")


@pytest.mark.parametrize("version", ["", "not a version", "1.2.x", "9" * 50], ids=repr)
def test_a_program_that_does_not_say_its_version_is_refused(
    plugin: Programs, monkeypatch: pytest.MonkeyPatch, version: str
):
    monkeypatch.setenv("FAKE_VERSION", version)
    with pytest.raises(TrainyardError, match="does not say which version it is"):
        installed_plugin()
    assert plugin.calls == []
