"""`asset NAME`, as steps call it: from a bucket that is a folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.node.machine import CLUSTER_FOLDER, Machine

pytestmark = pytest.mark.integration
CONTENT = b"a program" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def entry(**values: Any) -> dict[str, Any]:
    right = {
        "name": "docker", "version": "28.5.1", "os": None, "arch": "x86_64", "file": "docker-28.5.1.tgz",
        "url": "https://download.docker.com/x", "size_bytes": len(CONTENT), "sha256": SHA256, "verified_by": None,
    }  # fmt: skip
    return {**right, **values}


@pytest.fixture
def node(machine: Machine) -> Machine:
    """Return a machine that has come up, whose bucket has the asset."""
    assert machine.bootstrap().returncode == 0
    file = machine.root / "etc/trainyard/node.env"
    file.write_text(file.read_text().replace("aarch64", "x86_64"))
    lock(machine, entry())
    mirror(machine, CONTENT)
    (machine.stub / "calls").unlink()
    return machine


def lock(machine: Machine, *entries: dict[str, Any]) -> None:
    (machine.release / "assets.lock.json").write_text(json.dumps({"schema": 1, "assets": list(entries)}))


def mirror(machine: Machine, content: bytes, file: str = "docker-28.5.1.tgz") -> None:
    path = machine.stub / "bucket" / CLUSTER_FOLDER / "assets" / SHA256 / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def place(machine: Machine, file: str = "docker-28.5.1.tgz") -> Path:
    return machine.root / "opt/trainyard/assets" / SHA256 / file


def problem(machine: Machine, status: int, name: str = "docker") -> str:
    """Return the one line of a failing call, which prints no file and leaves nothing half done."""
    ran = machine.run("asset", name)
    assert (ran.returncode, ran.stdout) == (status, "")
    (line,) = ran.stderr.splitlines()
    assert not [path for path in place(machine).parent.glob(".*") if place(machine).parent.exists()]
    return line


def test_an_asset_is_fetched_verified_and_its_path_printed(node: Machine):
    ran = node.run("asset", "docker")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{place(node)}\n", "")
    assert place(node).read_bytes() == CONTENT
    (call,) = node.calls("aws")
    assert f" --region us-east-2 --cli-connect-timeout 10 {CLUSTER_FOLDER}/assets/{SHA256}/docker-28.5.1.tgz " in call


def test_what_is_there_and_right_is_not_fetched_again(node: Machine):
    node.run("asset", "docker")
    assert node.run("asset", "docker").stdout == f"{place(node)}\n"
    assert len(node.calls("aws")) == 1


def test_what_is_there_and_wrong_is_fetched_again(node: Machine):
    node.run("asset", "docker")
    place(node).write_bytes(b"b" + CONTENT[1:])
    assert node.run("asset", "docker").returncode == 0
    assert place(node).read_bytes() == CONTENT


def test_several_files_of_one_name_are_printed_one_a_line(node: Machine):
    lock(node, entry(file="b.deb"), entry(file="a.deb"), entry(name="other"))
    mirror(node, CONTENT, "a.deb")
    mirror(node, CONTENT, "b.deb")
    assert node.run("asset", "docker").stdout == f"{place(node, 'b.deb')}\n{place(node, 'a.deb')}\n"


def test_only_files_for_this_system_and_architecture_count(node: Machine):
    others = [entry(os="ubuntu2204", file="x"), entry(arch="aarch64", file="y")]
    lock(node, *others, entry(os="ubuntu2404"))
    assert node.run("asset", "docker").stdout == f"{place(node)}\n"
    lock(node, *others)
    assert "holds no docker for ubuntu2404 on x86_64: run `trainyard assets lock`" in problem(node, 64)


def test_a_wrong_checksum_is_damage_and_is_not_kept(node: Machine):
    mirror(node, b"b" + CONTENT[1:])
    assert "is not what was locked: its SHA-256 is " in problem(node, 65)
    assert not place(node).exists()


def test_a_truncated_download_is_damage(node: Machine):
    mirror(node, CONTENT[:-1])
    assert f"has {len(CONTENT) - 1} bytes instead of {len(CONTENT)}: mirror it again" in problem(node, 65)


@pytest.mark.parametrize(
    ("said", "status", "why"),
    [
        ('fatal error: Could not connect to the endpoint URL: "https://x"', 69, "Could not connect"),
        ("fatal error: An error occurred (404) when calling the HeadObject operation: Not Found", 69, "(404)"),
        ("fatal error: An error occurred (403) when calling the HeadObject operation: Forbidden", 69, "(403)"),
        ("download failed: An error occurred (SlowDown) when calling the GetObject operation", 75, "come back later"),
        ("download failed: x [Errno 28] No space left on device", 73, "no space is left"),
    ],
)
def test_what_aws_says_becomes_one_line_and_the_right_status(node: Machine, said: str, status: int, why: str):
    node.tell("aws-fails", f"warning: something\n{said}\n")
    assert why in problem(node, status)


def test_a_missing_command_line_of_aws_is_said(node: Machine):
    (node.bin / "aws").unlink()
    assert "the AWS command line is missing" in problem(node, 69)


def test_a_disk_without_room_is_seen_before_anything_is_downloaded(node: Machine):
    lock(node, entry(size_bytes=10**18))
    assert "give the node a larger root volume" in problem(node, 73)
    assert node.calls("aws") == []


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"schema": 2, "assets": []}', '{"schema": 1, "assets": [1]}']
    + [
        json.dumps({"schema": 1, "assets": [entry(**change)]})
        for change in ({"file": "../x"}, {"file": ""}, {"sha256": "../../x"}, {"sha256": None}, {"size_bytes": "1"})
    ],
)
def test_a_damaged_lock_is_damage(node: Machine, text: str):
    (node.release / "assets.lock.json").write_text(text)
    assert "assets.lock.json is damaged" in problem(node, 65)


def test_a_release_without_a_lock_holds_no_asset(node: Machine):
    (node.release / "assets.lock.json").unlink()
    assert "holds no docker" in problem(node, 64)


def test_a_node_that_never_came_up_has_no_settings_to_find_assets_by(machine: Machine):
    assert "run trainyard-node.pyz bootstrap first" in problem(machine, 64)


def test_a_step_gets_its_asset_and_fails_with_its_status(node: Machine):
    text = 'file=$(asset docker) || exit $?\nsay "got $file"'
    node.plan(node.step(30, "docker", text))
    assert node.bootstrap().returncode == 0
    assert f"got {place(node)}\n" in (node.root / "var/log/trainyard/30-docker.log").read_text()
    place(node).unlink()
    mirror(node, b"")
    assert node.bootstrap().returncode == 1
    (step,) = node.record()["steps"]
    assert step["exit_status"] == 65
    assert "has 0 bytes instead of" in step["message"]
