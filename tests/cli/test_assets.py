"""``trainyard assets lock``: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.examples import example_spec
from trainyard.bundle.asset_lock import AssetLock, lock_text, parse_lock
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.spec.parsing import parse

NOTHING = example_spec("")
MEASURED = example_spec("monitoring: {mode: amp-only}")


@pytest.fixture
def folder(tmp_path):
    """A folder with a spec that needs nothing, one that needs something, and the lock of the latter."""
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing/cluster.yaml").write_text(NOTHING)
    (tmp_path / "cluster.yaml").write_text(MEASURED)
    (tmp_path / "assets.lock.json").write_text(lock_text(stand_in_lock(parse(MEASURED, "f").spec)))
    return tmp_path


def test_a_spec_that_needs_nothing_gets_an_empty_lock_beside_it(trainyard, folder):
    ran = trainyard("assets", "lock", "nothing/cluster.yaml")
    assert (ran.status, ran.out) == (
        0, "nothing/assets.lock.json written: 0 files, 0 without a published checksum\n",
    )  # fmt: skip
    assert parse_lock((folder / "nothing/assets.lock.json").read_bytes(), "f") == AssetLock()


def test_what_is_locked_already_needs_no_network_and_stays_as_it_is(trainyard, folder):
    before = (folder / "assets.lock.json").read_bytes()
    ran = trainyard("assets", "lock", "cluster.yaml")
    assert ran.status == 0
    assert ran.out.startswith("node-exporter            1.10.2      x86_64                    0.0 MB  pinned ")
    assert ran.out.endswith("assets.lock.json written: 2 files, 2 without a published checksum\n")
    assert (folder / "assets.lock.json").read_bytes() == before


def test_the_lock_can_be_written_elsewhere(trainyard, folder):
    ran = trainyard("assets", "lock", "nothing/cluster.yaml", "-o", "elsewhere/lock.json")
    assert ran.status == 0
    assert (folder / "elsewhere/lock.json").is_file()
    assert not (folder / "nothing/assets.lock.json").exists()


def test_a_lock_that_is_up_to_date_passes_a_check(trainyard, folder):
    ran = trainyard("assets", "lock", "cluster.yaml", "--check")
    assert (ran.status, ran.out, ran.err) == (0, "assets.lock.json: up to date\n", "")


def test_a_check_names_what_differs_and_writes_nothing(trainyard, folder):
    (folder / "assets.lock.json").rename(folder / "nothing/assets.lock.json")
    missing = trainyard("assets", "lock", "cluster.yaml", "--check")
    assert (missing.status, missing.out) == (
        1,
        "missing: node-exporter on x86_64\nmissing: prometheus on x86_64\nassets.lock.json: not what the spec needs\n",
    )  # fmt: skip
    assert not (folder / "assets.lock.json").exists()
    surplus = trainyard("assets", "lock", "nothing/cluster.yaml", "--check")
    assert (surplus.status, surplus.out.splitlines()[0]) == (1, "no longer needed: stand-in-node-exporter-1.10.2")


def test_a_check_names_the_packages_that_a_lock_lacks(trainyard, folder):
    containers = example_spec(
        "software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: p5.48xlarge}]\n"
    )
    (folder / "cluster.yaml").write_text(containers)
    lock = stand_in_lock(parse(containers, "f").spec)
    assets = [
        one._replace(file="libnvidia-container1_1.20.1-1_amd64.deb") if one.name == "nvidia-container-toolkit" else one
        for one in lock.assets
    ]
    (folder / "assets.lock.json").write_text(lock_text(AssetLock(tuple(assets))))
    lacks = ["libnvidia-container-tools", "nvidia-container-toolkit-base", "nvidia-container-toolkit"]
    ran = trainyard("assets", "lock", "cluster.yaml", "--check")
    words = f"incomplete: nvidia-container-toolkit for ubuntu2204 on x86_64 lacks {', '.join(lacks)}"
    assert (ran.status, ran.out.splitlines()) == (1, [words, "assets.lock.json: not what the spec needs"])
    printed = json.loads(trainyard("assets", "lock", "cluster.yaml", "--check", "--json").out)
    assert [(one["name"], one["lacks"]) for one in printed["incomplete"]] == [("nvidia-container-toolkit", lacks)]
    assert [one["name"] for one in printed["missing"]] == ["nvidia-container-toolkit"]
    rendered = json.loads(trainyard("render", "cluster.yaml", "--json").out)
    assert rendered["not_locked"] == [words.removeprefix("incomplete: ")]


def test_json_says_the_same(trainyard, folder):
    ran = trainyard("assets", "lock", "cluster.yaml", "--check", "--json")
    printed = json.loads(ran.out)
    assert (ran.status, ran.err) == (0, "")
    assert printed.keys() == {
        "schema", "file", "written", "up_to_date", "assets", "missing", "incomplete", "stale", "surplus", "findings",
    }  # fmt: skip
    assert (printed["written"], printed["up_to_date"], len(printed["assets"])) == (False, True, 2)
    (folder / "assets.lock.json").unlink()
    printed = json.loads(trainyard("assets", "lock", "cluster.yaml", "--check", "--json").out)
    assert printed["missing"] == [
        {"name": name, "version": None, "os": None, "arch": "x86_64"} for name in ("node-exporter", "prometheus")
    ]
    assert not printed["up_to_date"]
    printed = json.loads(trainyard("assets", "lock", "nothing/cluster.yaml", "--json").out)
    assert (printed["written"], printed["file"], printed["assets"]) == (True, "nothing/assets.lock.json", [])


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["missing.yaml"], 2, "missing.yaml: error: missing.yaml does not exist"),
        (["cluster.yaml", "--check", "--update", "docker"], 2, "--check downloads nothing, so it cannot update"),
        (["cluster.yaml", "--update", "\x1b[31m"], 2, r"no node needs '\x1b[31m'; the spec needs node-exporter"),
        (["cluster.yaml", "-o", "nothing"], 2, "nothing cannot be read: Is a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_wrong_call_is_one_clear_line(trainyard, folder, arguments, status, said):
    ran = trainyard("assets", "lock", *arguments)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert said in ran.err
    assert ran.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_a_damaged_lock_is_one_clear_line_and_stays(trainyard, folder, arguments):
    (folder / "assets.lock.json").write_text('{"schema": 1, "assets": [{"name": "\\u001b[31m"}]}')
    ran = trainyard("assets", "lock", "cluster.yaml", *arguments)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "assets.lock.json: error: the lock of the assets cannot be used: assets[0] has other keys than " in ran.err
    assert "\\u001b" in (folder / "assets.lock.json").read_text()


def test_nothing_is_locked_for_a_spec_with_errors(trainyard, tmp_path):
    (tmp_path / "wrong.yaml").write_text(example_spec("region: us-west-2\nnetwork: {availability_zone: us-east-2a}"))
    ran = trainyard("assets", "lock", "wrong.yaml")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.endswith("nothing was locked: 1 error\n")
    assert not (tmp_path / "assets.lock.json").exists()


def test_the_help_says_what_a_lock_is_for(trainyard):
    assert "trainyard assets lock cluster.yaml --check" in trainyard("assets", "lock", "--help").out
