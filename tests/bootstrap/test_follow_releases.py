"""The user data of the monitoring instance, run in a real shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bootstrap.node import AWS, NOT_THERE
from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode
from tests.bootstrap.user_data import SECRET, user_data
from trainyard.bootstrap.launcher import follow_releases

FOLDER = "s3://mine/trainyard/llm"
# What the launcher would do: it says so, and ends as the file beside the pointer wants it.
LAUNCHER = b"""#!/bin/sh
echo "launched $1" >> "$STUB/launched"
exit "$(cat "$STUB/status" 2>/dev/null || echo 0)"
"""
POINTER = f"{'a' * 64}  1.tar\n".encode()
OTHER = f"{'b' * 64}  2.tar\n".encode()


class Instance:
    """An instance on which cloud-init has just written the user data."""

    def __init__(self, place: Path) -> None:
        self.place, self.root = place, place / "root"
        self.root.mkdir()
        (place / "bin").mkdir()
        self.script = place / "part-001"
        self.script.write_text(user_data())
        self.program("aws", AWS)
        self.program("systemctl", '#!/bin/sh\necho "$@" >> "$STUB/systemctl"\n')

    def program(self, name: str, text: str) -> None:
        file = self.place / "bin" / name
        file.write_text(text)
        file.chmod(0o755)

    def put(self, key: str, content: bytes) -> None:
        file = self.place / "bucket" / FOLDER / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def publish(self, pointer: bytes) -> None:
        self.put("launch.sh", LAUNCHER)
        self.put("release", pointer)

    def run(self, script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "PATH": f"{self.place / 'bin'}:/usr/bin:/bin",
            "STUB": str(self.place),
            "TRAINYARD_SYSROOT": str(self.root),
        }
        return subprocess.run(
            ["bash", script, *arguments], env=variables, capture_output=True, text=True, check=False, timeout=300
        )

    def look(self) -> subprocess.CompletedProcess[str]:
        """Do what the timer does every five minutes."""
        return self.run(self.root / "usr/local/sbin/trainyard-follow-releases", "look")

    @property
    def launched(self) -> int:
        file = self.place / "launched"
        return len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    made = Instance(tmp_path)
    ran = made.run(made.script)
    assert (ran.returncode, ran.stderr) == (0, "")
    return made


def test_what_is_made_of_the_template_is_small_enough_for_ec2():
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html
    assert len(user_data().encode()) < 16 * 1024


def test_only_assignments_stand_above_the_script():
    first, *above = user_data().removesuffix(follow_releases()).splitlines()
    assert first == "#!/usr/bin/env bash"
    assert above == ["REGION='us-east-2'", f"FOLDER='{FOLDER}'", f"GRAFANA_SECRET='{SECRET}'"]


@pytest.mark.integration
def test_shellcheck_finds_nothing_wrong_with_it(tmp_path: Path):
    (tmp_path / "user-data.sh").write_text(user_data())
    program = Path(sys.executable).with_name("shellcheck")
    ran = subprocess.run([program, tmp_path / "user-data.sh"], capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_it_installs_a_service_that_looks_at_once_and_every_five_minutes(instance: Instance):
    calls = (instance.place / "systemctl").read_text().splitlines()
    assert calls == ["daemon-reload", "enable --now trainyard-follow-releases.timer"]
    timer = (instance.root / "etc/systemd/system/trainyard-follow-releases.timer").read_text()
    assert {"OnActiveSec=0", "OnUnitInactiveSec=5min"} <= set(timer.splitlines())
    assert os.access(instance.root / "usr/local/sbin/trainyard-follow-releases", os.X_OK)


@pytest.mark.parametrize("unit", ["service", "timer"])
def test_systemd_finds_nothing_wrong_with_its_units(instance: Instance, tmp_path: Path, unit: str):
    node = FakeNode(tmp_path / "node")
    for name in ("service", "timer"):
        file = f"etc/systemd/system/trainyard-follow-releases.{name}"
        node.write(file, (instance.root / file).read_text())
    node.write("usr/lib/systemd/system/timers.target", "[Unit]\n")
    program = "usr/local/sbin/trainyard-follow-releases"
    assert verify_unit(node, f"trainyard-follow-releases.{unit}", program) == ""


def test_the_launcher_and_the_steps_find_out_where_they_are(instance: Instance):
    settings = (instance.root / "etc/parallelcluster/cfnconfig").read_text().splitlines()
    assert settings == ["cfn_node_type=MonitoringInstance", "cfn_region=us-east-2"]
    secret = (instance.root / "etc/trainyard/grafana-secret.env").read_text()
    assert f"GRAFANA_SECRET={SECRET}\n" in secret


def test_before_anything_is_published_nothing_happens(instance: Instance):
    ran = instance.look()
    assert ran.returncode == 0
    assert "so nothing changes" in ran.stdout
    assert NOT_THERE.partition(":")[0] in ran.stdout
    instance.publish(b"none\n")
    assert (instance.look().returncode, instance.launched) == (0, 0)


def test_a_release_is_run_once(instance: Instance):
    instance.publish(POINTER)
    assert [instance.look().returncode for _ in range(3)] == [0, 0, 0]
    assert (instance.place / "launched").read_text() == f"launched {FOLDER}\n"


def test_another_release_is_run_too(instance: Instance):
    for pointer in (POINTER, OTHER):
        instance.publish(pointer)
        instance.look()
    assert instance.launched == 2


def test_a_release_that_fails_is_tried_again_until_it_succeeds(instance: Instance):
    instance.publish(POINTER)
    (instance.place / "status").write_text("1")
    for _ in range(2):
        ran = instance.look()
        assert ran.returncode == 1
        assert "was not carried out" in ran.stderr.splitlines()[-1]
    (instance.place / "status").write_text("0")
    assert [instance.look().returncode for _ in range(2)] == [0, 0]
    assert instance.launched == 3


def test_a_pointer_that_is_gone_leaves_what_runs(instance: Instance):
    instance.publish(POINTER)
    instance.look()
    (instance.place / "bucket" / FOLDER / "release").unlink()
    assert (instance.look().returncode, instance.launched) == (0, 1)
    instance.publish(POINTER)
    assert (instance.look().returncode, instance.launched) == (0, 1)


def test_a_launcher_that_cannot_be_fetched_is_told(instance: Instance):
    instance.put("release", POINTER)
    ran = instance.look()
    assert ran.returncode == 1
    assert f"cannot fetch {FOLDER}/launch.sh" in ran.stderr


def test_an_image_without_the_command_line_is_told(instance: Instance):
    (instance.place / "bin" / "aws").unlink()
    ran = instance.look()
    assert ran.returncode == 1
    assert "use an image of Amazon Linux 2023" in ran.stderr


def test_aws_is_asked_for_a_bounded_time(instance: Instance):
    instance.publish(POINTER)
    instance.look()
    calls = (instance.place / "calls").read_text().splitlines()
    assert all("--cli-connect-timeout 10 --cli-read-timeout 60" in call for call in calls)
