"""Commands on another machine, by ssh and by Systems Manager: what is said arrives as it is, and failures are told."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.submission.ways import Agent, programs, systems_manager
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.remote_command import CommandResult, UnreachableError, answer_in, line_for
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.edge.ssh import SshSlurm
from trainyard.errors import InputError, TrainyardError
from trainyard.submission.head_node import HeadNodeConnection

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
HOSTILE = "a 'b' \"c\" $(touch hurt) `touch hurt`\n;touch hurt &\\ ö"


class Quick(Clock):
    """Time goes by without waiting."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def ssm(address: str, instance: str = Agent.instance) -> SsmSlurm:
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    return SsmSlurm(Account("us-east-2", endpoint=address, credentials=keys, clock=Quick()), instance)


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in programs(tmp_path / "bin").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["local", "ssh", "ssm"])
def head(request: pytest.FixtureRequest, stubs: Path) -> Iterator[HeadNodeConnection]:
    if request.param == "ssm":
        with systems_manager(Agent()) as address:
            yield ssm(address)
    else:
        yield LocalSlurm() if request.param == "local" else SshSlurm("head")


def test_words_that_shells_would_read_arrive_as_they_are(head: HeadNodeConnection, stubs: Path):
    answer = head.run(("printf", "%s|", HOSTILE, "", "*"))
    assert (answer.status, answer.text) == (0, f"{HOSTILE}||*|")
    assert not list(stubs.rglob("hurt"))


def test_bytes_pass_both_ways_and_status_and_error_come_back(head: HeadNodeConnection):
    content = bytes(range(256)) * 40
    assert head.run(("cat",), content) == CommandResult(0, content, "")
    failed = head.run(("sh", "-c", "echo no >&2; exit 7"))
    assert (failed.status, failed.message) == (7, "no")


def test_a_program_that_is_not_there_is_status_127(head: HeadNodeConnection):
    answer = head.run(("no-such-program", "x"))
    assert (answer.status, "no-such-program" in answer.message) == (127, True)


def test_a_host_that_is_not_there_is_told_in_the_words_of_ssh(stubs: Path):
    with pytest.raises(
        UnreachableError, match=r"cannot be reached by ssh: .*Could not resolve hostname nowhere"
    ) as told:
        SshSlurm("nowhere").run(("true",))
    assert "ssh -o BatchMode=yes nowhere sbatch --version" in str(told.value.hint)


@pytest.mark.parametrize("host", ["", "-oProxyCommand=touch hurt", "a b", "a\nb"])
def test_what_is_no_host_is_refused(host: str):
    with pytest.raises(InputError, match="is no host"):
        SshSlurm(host)


def test_without_ssh_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TrainyardError, match="there is no program ssh here"):
        SshSlurm("head").run(("true",))


def test_who_may_not_send_commands_is_told_which_permission_is_missing(stubs: Path):
    with systems_manager(Agent(refuses="AccessDeniedException")) as address, pytest.raises(NotAllowedError) as told:
        ssm(address).run(("true",))
    assert told.value.permission == "ssm:SendCommand"


def test_a_node_that_systems_manager_does_not_have_is_told_with_what_it_takes(stubs: Path):
    with systems_manager(Agent()) as address, pytest.raises(UnreachableError) as told:
        ssm(address, "i-0ffffffffffffffff").run(("true",))
    assert "cannot be reached by Systems Manager: Instances not in a valid state" in told.value.problem
    assert "AmazonSSMManagedInstanceCore" in str(told.value.hint)


@pytest.mark.parametrize("status", ["TimedOut", "Undeliverable", "Cancelled"])
def test_a_command_that_does_not_arrive_is_told_with_its_status(stubs: Path, status: str):
    with systems_manager(Agent(ends=status)) as address, pytest.raises(UnreachableError, match=f"Manager: {status}"):
        ssm(address).run(("true",))


@pytest.mark.parametrize("status", ["Success", "Failed"])
def test_a_command_that_ran_without_an_answer_is_not_called_unreachable(stubs: Path, status: str):
    with (
        systems_manager(Agent(ends=status)) as address,
        pytest.raises(UnreachableError, match=r"ran on the head node, .* came back: it printed nothing") as told,
    ):
        ssm(address).run(("true",))
    assert "cannot be reached" not in told.value.problem


def test_what_came_back_of_a_cut_answer_is_not_shown(stubs: Path):
    (stubs / "secret").write_text("secret" * 5000)
    with (
        systems_manager(Agent()) as address,
        pytest.raises(UnreachableError, match=r"it printed 24,000 characters$") as told,
    ):
        replace(ssm(address), block_bytes=2**20).run(("cat", str(stubs / "secret")))
    assert "c2VjcmV0" not in str(told.value)


def test_a_command_that_never_ends_is_not_waited_for_for_ever(stubs: Path):
    with (
        systems_manager(Agent(ends="InProgress")) as address,
        pytest.raises(UnreachableError, match="has not ended in time"),
    ):
        ssm(address).run(("true",))


def test_a_machine_that_is_no_head_node_has_no_user_of_a_cluster(stubs: Path):
    (stubs / "bin" / "cfnconfig").write_text("cfn_cluster_user=root; touch hurt\n")
    with systems_manager(Agent()) as address, pytest.raises(TrainyardError, match="does not name the user") as told:
        ssm(address).run(("true",))
    assert not isinstance(told.value, UnreachableError)
    assert not list(stubs.rglob("hurt"))


def test_a_network_that_is_away_may_come_back(stubs: Path):
    with systems_manager(Agent()) as address:
        pass
    head = ssm(address)
    with pytest.raises(UnreachableError, match="AWS does not answer"):
        head.run(("true",))


def test_an_answer_that_is_too_long_is_not_taken_for_the_whole():
    line = line_for(("head", "-c", "200", "/dev/zero"), b"", 100)
    printed = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout
    with pytest.raises(TrainyardError, match="200 bytes, and only 100 can be passed on"):
        answer_in(printed, "head")


@pytest.mark.parametrize("printed", ["", "bash: base64: command not found\n", "trainyard-answer 0 4 !!!! -\n"])
def test_what_is_no_answer_is_none(printed: str):
    assert answer_in(printed, "head") is None
