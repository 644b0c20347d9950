"""A release holds everything that a node needs besides assets, and the same spec gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile

from tests.specs import spec_of
from trainyard.bootstrap.steps import STEPS
from trainyard.bundle.release import Release, release

SPEC = "software: {setup: gpu, containers: true}\nmonitoring: {mode: amp-only}"
LOCK = b'{"schema": 1, "assets": []}\n'


def members(made: Release) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(made.content)) as archive:
        return {one.name: one for one in archive}


def content(made: Release, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(made.content)) as archive:
        file = archive.extractfile(name)
        assert file is not None
        return file.read()


def test_the_pointer_is_what_the_launcher_reads():
    made = release(spec_of(SPEC))
    assert re.fullmatch(rb"[0-9a-f]{64} +[A-Za-z0-9][A-Za-z0-9._-]*\n", made.pointer)
    assert made.pointer.split() == [hashlib.sha256(made.content).hexdigest().encode(), made.file.encode()]


def test_it_holds_the_runner_every_step_and_the_plan():
    made = release(spec_of(SPEC))
    found = members(made)
    assert {"run.sh", "common.sh", "plan.json", "trainyard-node.pyz"} <= found.keys()
    assert {step.script for step in STEPS} <= found.keys()
    assert "launch.sh" not in found
    assert "assets.lock.json" not in found
    assert json.loads(content(made, "plan.json"))["cluster"] == "example"
    assert content(made, "plan.json") == made.plan


def test_scripts_can_be_run_and_nothing_belongs_to_anybody():
    found = members(release(spec_of(SPEC)))
    for name, one in found.items():
        assert (one.uid, one.gid, one.mtime, one.uname) == (0, 0, 0, "")
        assert one.mode == (0o755 if name.endswith((".sh", ".sbatch")) else 0o644)


def test_the_same_spec_and_lock_give_the_same_bytes_and_others_do_not():
    made = release(spec_of(SPEC), LOCK)
    assert made == release(spec_of(SPEC), LOCK)
    assert content(made, "assets.lock.json") == LOCK
    others = [release(spec_of(SPEC)), release(spec_of("software: {setup: cpu}"), LOCK), release(spec_of(SPEC), b"{}")]
    assert len({one.sha256 for one in (made, *others)}) == 4
