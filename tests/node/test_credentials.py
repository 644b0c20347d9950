"""The credentials of the head node's role reach Prometheus as a file, renewed in time, and nothing else."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.node.doubles import START, FakeClock, FakeProcesses
from tests.node.role_service import PLACE, ROLE, RoleService, role_service
from trainyard_node.cli import main
from trainyard_node.credentials_command import FILE, HELD, run
from trainyard_node.errors import NodeError
from trainyard_node.imds import ENDPOINT
from trainyard_node.machine import World
from trainyard_node.places import Places

pytestmark = pytest.mark.enable_socket
METRIC = "trainyard_credentials_expire_timestamp_seconds"
CHOSEN = Namespace(file=None, metrics=None)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[RoleService]:
    with role_service() as found:
        monkeypatch.setenv(ENDPOINT, found.url)
        yield found


@pytest.fixture
def world(tmp_path: Path) -> World:
    clock = FakeClock()
    return World(Places(str(tmp_path)), clock, FakeProcesses(clock))


def written(world: World) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(world.places.at(FILE).read_text())
    return found


def told(world: World) -> float:
    """Return what node_exporter reads."""
    text = world.places.at("/var/lib/node_exporter/textfile/trainyard_credentials.prom").read_text()
    (line,) = [line for line in text.splitlines() if not line.startswith("#")]
    match = re.fullmatch(rf"{METRIC} (\d+)", line)
    assert match is not None
    return float(match[1])


def test_they_are_written_as_a_credential_process_prints_them(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    assert run(CHOSEN, world) == 0
    assert written(world) == {
        "Version": 1,
        "AccessKeyId": "AKID",
        "SecretAccessKey": "secret-of-AKID",
        "SessionToken": "token-of-AKID",
        "Expiration": (START + HELD).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    assert told(world) == (START + HELD).timestamp()


def test_they_never_last_longer_than_they_do(service: RoleService, world: World):
    ends = START + timedelta(minutes=4)
    service.gives("AKID", ends)
    run(CHOSEN, world)
    assert written(world)["Expiration"] == ends.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert told(world) == ends.timestamp()


def test_the_group_may_read_them_and_nobody_else(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    run(CHOSEN, world)
    assert world.places.at(FILE).stat().st_mode & 0o777 == 0o640
    assert not list(world.places.at(FILE).parent.glob(".*"))


def test_a_token_is_asked_for_first(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    run(CHOSEN, world)
    assert service.tokens
    assert service.asked == [PLACE, PLACE + ROLE]


def test_a_token_that_has_ended_is_asked_for_anew(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    service.refusals = 1
    assert run(CHOSEN, world) == 0
    assert service.asked == [PLACE, PLACE, PLACE + ROLE]
    assert service.tokens == 3


def test_every_call_renews_them(service: RoleService, world: World):
    service.gives("FIRST", START + timedelta(hours=6))
    run(CHOSEN, world)
    world.clock.sleep(300)
    service.gives("SECOND", START + timedelta(hours=6))
    run(CHOSEN, world)
    assert written(world)["AccessKeyId"] == "SECOND"
    assert told(world) == (START + timedelta(seconds=300) + HELD).timestamp()


WRONG = {
    "no role": ({}, "it names no role: the instance has no instance profile"),
    "a role whose name leads elsewhere": ({PLACE: "../../api/token"}, "it names no role"),
    "a role without credentials": ({PLACE: ROLE}, "HTTP Error 404"),
    "no JSON": ({PLACE: ROLE, PLACE + ROLE: "<html>secret</html>"}, "Expecting value"),
    "no object": ({PLACE: ROLE, PLACE + ROLE: "[]"}, "it has no credentials of the role"),
    "letters that are none": ({PLACE: ROLE, PLACE + ROLE: "sécret"}, "ascii"),
}


@pytest.mark.parametrize(("answers", "text"), WRONG.values(), ids=WRONG)
def test_what_is_no_answer_is_told_after_five_attempts(
    service: RoleService, world: World, answers: dict[str, str], text: str
):
    service.answers = answers
    with pytest.raises(NodeError, match=re.escape(text)) as refusal:
        run(CHOSEN, world)
    assert "in 5 attempts" in str(refusal.value)
    assert "secret" not in str(refusal.value)
    assert world.clock.seconds() == 15
    assert not world.places.at(FILE).exists()
    assert told(world) == 0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"Code": "AssumeRoleUnauthorizedAccess"}, "it has no credentials of the role"),
        ({"SecretAccessKey": None}, "what it says are no credentials"),
        ({"Token": ""}, "what it says are no credentials"),
        ({"Expiration": "tomorrow"}, "does not match format"),
        ({"Expiration": "2026-11-21T11:59:59Z"}, "its credentials ended at 2026-11-21T11:59:59Z"),
    ],
)
def test_what_was_written_before_stays_where_the_new_ones_are_of_no_use(
    service: RoleService, world: World, changes: dict[str, Any], text: str
):
    service.gives("AKID", START + timedelta(hours=6))
    run(CHOSEN, world)
    service.gives("OTHER", START + timedelta(hours=6), **changes)
    with pytest.raises(NodeError, match=re.escape(text)) as refusal:
        run(CHOSEN, world)
    assert "secret-of" not in str(refusal.value)
    assert "token-of" not in str(refusal.value)
    assert written(world)["AccessKeyId"] == "AKID"
    assert told(world) == (START + HELD).timestamp()


def test_a_service_that_does_not_answer_ends_with_status_1_and_one_line(
    monkeypatch: pytest.MonkeyPatch, world: World, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    with pytest.raises(NodeError, match="does not answer in 5 attempts"):
        run(CHOSEN, world)
    assert told(world) == 0
    assert capsys.readouterr() == ("", "")


def test_one_that_is_slow_once_is_asked_again(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    service.delays_s = [2.3]
    assert run(CHOSEN, world) == 0
    assert service.asked == [PLACE, PLACE, PLACE + ROLE]
    assert world.clock.seconds() == 1


def test_what_was_written_before_and_is_damaged_counts_as_ended(service: RoleService, world: World):
    file = world.places.at(FILE)
    file.parent.mkdir(parents=True)
    file.write_text("{")
    with pytest.raises(NodeError):
        run(CHOSEN, world)
    assert service.asked
    assert told(world) == 0


def test_where_nothing_can_be_written_that_is_said(service: RoleService, world: World):
    service.gives("AKID", START + timedelta(hours=6))
    world.places.at(FILE).mkdir(parents=True)
    with pytest.raises(NodeError, match=r"cannot write .*credentials\.json \(Is a directory\): make room for it"):
        run(CHOSEN, world)


def test_it_is_a_command_of_the_node(
    service: RoleService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TRAINYARD_SYSROOT", str(tmp_path))
    service.gives("AKID", START + timedelta(days=9999))
    assert main(["credentials"]) == 0
    assert (tmp_path / FILE.lstrip("/")).exists()
    assert capsys.readouterr() == ("", "")
