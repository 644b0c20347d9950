"""install.sh: what it bakes, what it leaves, and what it says when it cannot."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.builder import FOLDER, STEP, Builder
from trainyard.bootstrap.launcher import MARKER, SCRIPT, image_script


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    return Builder(tmp_path)


def last_line(ran: subprocess.CompletedProcess[str]) -> str:
    return ran.stderr.strip().splitlines()[-1]


def test_the_steps_run_in_their_order_with_the_settings_of_their_nodes(builder):
    ran = builder.bake()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert builder.said("steps") == [
        "10-packages.sh for compute-gpu of llm, any GPUs",
        "30-docker.sh for compute-gpu of llm, any GPUs",
    ]


def test_the_inventory_says_what_went_in(builder):
    builder.bake()
    inventory = builder.inventory()
    assert {name: inventory[name] for name in ("schema", "date", "release", "node", "steps")} == {
        "schema": 1,
        "date": "2026-11-21T12:00:00Z",
        "release": builder.settings()["sha256"],
        "node": "queue/gpu",
        "steps": ["packages", "docker"],
    }
    assert inventory["versions"]


def test_what_belongs_to_one_machine_is_removed(builder):
    builder.bake()
    gone = ("etc/trainyard/node.env", "var/log/trainyard", "etc/docker/daemon.json", "etc/ssh/ssh_host_rsa_key")
    assert [name for name in gone if (builder.root / name).exists()] == []
    assert (builder.root / "etc/machine-id").read_text() == ""
    assert builder.said("calls")[-1] == "cleaned"


def test_the_release_stays_for_nodes_that_run_it_and_nothing_else(builder):
    builder.bake()
    releases = builder.root / "opt/trainyard/releases"
    assert [one.name for one in releases.iterdir()] == [builder.settings()["sha256"]]


def test_baking_again_does_the_same_again(builder):
    builder.bake()
    first = builder.inventory()
    ran = builder.bake()
    assert (ran.returncode, builder.inventory()) == (0, first)


def test_a_release_that_was_copied_here_is_not_fetched(builder):
    ran = builder.bake(str(builder.stub / "bucket.tar"))
    assert ran.returncode == 0, ran.stderr
    assert builder.said("calls") == ["cleaned"]


def test_a_refused_download_is_tried_again_with_pauses_that_double(builder):
    (builder.stub / "refusals").write_text("2")
    assert builder.bake().returncode == 0
    assert builder.said("slept") == ["5", "10"]


def test_a_release_that_cannot_be_fetched_is_said_with_what_to_do(builder):
    (builder.stub / "refusals").write_text("9")
    ran = builder.bake()
    assert ran.returncode == 69
    assert f"cannot download {FOLDER}/releases/r.tar: upload it" in last_line(ran)


def test_another_release_than_the_one_it_is_for_is_refused(builder):
    (builder.stub / "bucket.tar").write_bytes(b"something else")
    ran = builder.bake()
    assert ran.returncode == 65
    assert "is not the release that this image is for" in last_line(ran)
    assert list((builder.root / "opt/trainyard/releases").iterdir()) == []


@pytest.mark.parametrize("status", [1, 65, 66, 73])
def test_a_step_that_fails_ends_the_build_with_its_status(tmp_path, status):
    failing = f"echo 'no such thing: do this' >&2; exit {status}\n".encode()
    builder = Builder(tmp_path, {"10-packages": failing, "30-docker": STEP})
    ran = builder.bake()
    assert ran.returncode == status
    assert "no such thing: do this" in ran.stderr
    assert last_line(ran).startswith("trainyard: steps/10-packages.sh failed")
    assert builder.said("steps") == []
    assert not (builder.root / "opt/trainyard/image-inventory.json").exists()


@pytest.mark.parametrize("status", [69, 75])
def test_a_step_that_asks_to_come_back_is_run_again(tmp_path, status):
    once = f'[ -e "$STUB/tried" ] || {{ : > "$STUB/tried"; exit {status}; }}\n'.encode()
    builder = Builder(tmp_path, {"10-packages": once})
    assert builder.bake().returncode == 0
    assert builder.said("slept") == ["5"]


def test_a_step_that_takes_too_long_is_ended(tmp_path):
    builder = Builder(tmp_path, {"10-packages": b"exec /bin/sleep 30\n"})
    settings = builder.settings(steps=[{"script": "steps/10-packages.sh", "timeout_s": 1}])
    builder.script.write_bytes(image_script(settings))
    ran = builder.bake()
    assert ran.returncode == 1
    assert last_line(ran) == "trainyard: steps/10-packages.sh took longer than 1 seconds"


@pytest.mark.parametrize(
    "other",
    [
        {"folder": "s3://mine/$(reboot)"},
        {"region": "us-east-2; reboot"},
        {"sha256": "short"},
        {"file": "../r.tar"},
        {"node": "queue/a b"},
        {"steps": [{"script": "steps/../../bin/sh", "timeout_s": 1}]},
        {"steps": [{"script": "steps/10-packages.sh", "timeout_s": "x"}]},
    ],
    ids=str,
)
def test_settings_that_are_not_what_they_should_be_are_refused(builder, other):
    builder.script.write_bytes(image_script(builder.settings(**other)))
    ran = builder.bake()
    assert ran.returncode == 1
    assert "does not end with what to bake" in last_line(ran)
    assert builder.said("calls") == []


@pytest.mark.parametrize("tail", [b"", MARKER, MARKER + b"[]", MARKER + b"{"])
def test_a_script_that_was_cut_off_is_refused(builder, tail):
    builder.script.write_bytes(SCRIPT.read_bytes() + tail)
    ran = builder.bake()
    assert ran.returncode == 1
    assert "does not end with what to bake" in last_line(ran)


def test_nodes_that_the_release_does_not_know_are_said(builder):
    builder.script.write_bytes(image_script(builder.settings(node="queue/other")))
    ran = builder.bake()
    assert ran.returncode == 64
    assert "queue/other" in ran.stderr


def test_a_machine_without_parallelclusters_clean_up_is_cleaned_all_the_same(builder):
    (builder.bin / "ami_cleanup.sh").unlink()
    assert builder.bake().returncode == 0
    assert not (builder.root / "etc/ssh/ssh_host_rsa_key").exists()


def test_the_settings_are_data_below_a_script_that_is_the_same_for_all():
    text = image_script({"node": "head"})
    assert text.startswith(SCRIPT.read_bytes())
    assert json.loads(text.rpartition(MARKER)[2]) == {"node": "head"}
