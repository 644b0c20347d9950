"""The switch from one version of the shared NCCL to another, and what shells get of it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from pathlib import Path

import pytest

from tests.bootstrap.steps.nccl_node import VERSION, NcclNode
from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import complaint

OTHER = "2.29.3-1"


@pytest.fixture(scope="module")
def both_versions(tmp_path_factory: pytest.TempPathFactory) -> NcclNode:
    """A node that has built two versions, of which the first is the current one."""
    builder = NcclNode(tmp_path_factory.mktemp("builder"))
    builder.built()
    builder.built(version=OTHER)
    return builder


@pytest.fixture
def node(tmp_path: Path, both_versions: NcclNode) -> NcclNode:
    node = NcclNode(tmp_path)
    node.take(both_versions)
    return node


def use(node: NcclNode, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_script(node, "nccl/use-nccl.sh", *arguments)


def shell(node: NcclNode, text: str, program: str = "bash", **variables: str) -> list[str]:
    """Return the lines that a shell prints after it read the environment of the current version."""
    ran = subprocess.run(
        [program, "-c", f". {node.shared}/current/setup-nccl-env.sh; {text}"],
        env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def test_a_version_becomes_the_current_one(node: NcclNode):
    assert use(node, OTHER).returncode == 0
    assert str((node.shared / "current").readlink()) == OTHER
    assert str((node.manifests / "current").readlink()) == f"{OTHER}.json"


def test_a_second_run_changes_nothing(node: NcclNode):
    use(node, OTHER)
    before = node.files()
    assert "nothing to do" in use(node, OTHER).stdout
    assert node.files() == before


def test_a_reader_never_finds_no_version(node: NcclNode):
    seen: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.append((node.shared / "current/manifest.json").read_text()[:20])

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(10):
        assert use(node, OTHER).returncode == 0
        assert use(node, VERSION).returncode == 0
    done.set()
    reader.join()
    assert len(seen) > 1000
    assert set(seen) == {'{\n  "schema": 1,\n  "'}


@pytest.mark.parametrize("version", ["2.30.0-1", "../nccl/2.28.7-1", "current", "", "$(reboot)", ".2.28.7-1.lock"])
def test_what_is_not_there_is_not_used(node: NcclNode, version: str):
    assert f"only: {VERSION} {OTHER}" in complaint(use(node, version), 64)
    assert str((node.shared / "current").readlink()) == VERSION


@pytest.mark.parametrize("arguments", [(), (VERSION, OTHER), ("--trust",)])
def test_it_wants_one_version(node: NcclNode, arguments: tuple[str, ...]):
    assert "usage" in complaint(use(node, *arguments), 64)


@pytest.mark.parametrize("file", ["lib/libnccl.so.2", "lib/libnccl_static.a", "bin/all_reduce_perf"])
def test_what_has_changed_since_it_was_built_is_not_used(node: NcclNode, file: str):
    (node.shared / OTHER / file).write_text("something else")
    assert "is not what was built" in complaint(use(node, OTHER), 65)
    assert str((node.shared / "current").readlink()) == VERSION


def test_a_manifest_beside_the_files_makes_nothing_true(node: NcclNode):
    file = node.shared / OTHER / "lib/libnccl.so.2"
    file.write_text("planted")
    forged = node.manifest(OTHER)
    forged["files"]["lib/libnccl.so.2"] = hashlib.sha256(b"planted").hexdigest()
    (node.shared / OTHER / "manifest.json").write_text(json.dumps(forged))
    assert "is not what was built" in complaint(use(node, OTHER), 65)


def test_what_another_cluster_built_is_used_once_somebody_trusts_it(node: NcclNode):
    (node.manifests / f"{OTHER}.json").unlink()
    assert f"take it as it is with 'use-nccl.sh --trust {OTHER}'" in complaint(use(node, OTHER), 64)
    assert use(node, "--trust", OTHER).returncode == 0
    assert use(node, OTHER).returncode == 0
    assert (node.manifests / f"{OTHER}.json").read_text() == (node.shared / OTHER / "manifest.json").read_text()


@pytest.mark.parametrize("name", ["../../etc/profile", "lib/../../x", "/etc/profile", "etc/profile", "lib//x/../../.."])
@pytest.mark.parametrize("part", ["files", "links"])
def test_nobody_can_be_made_to_trust_what_leads_elsewhere(node: NcclNode, part: str, name: str):
    forged = node.manifest(OTHER)
    forged[part][name] = hashlib.sha256(b"").hexdigest()
    (node.shared / OTHER / "manifest.json").write_text(json.dumps(forged))
    assert "is not what was built" in complaint(use(node, "--trust", OTHER), 65)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 1, "links": {}}'])
def test_nobody_can_be_made_to_trust_what_is_no_manifest(node: NcclNode, text: str):
    (node.shared / OTHER / "manifest.json").write_text(text)
    assert "is not what was built" in complaint(use(node, "--trust", OTHER), 65)


def test_a_folder_that_cannot_be_written_to_is_told(node: NcclNode):
    node.fail("ln", "ln: failed to create symbolic link: Permission denied")
    node.program("ln")
    assert "cannot switch to NCCL 2.29.3-1" in complaint(use(node, OTHER), 1)


def test_shells_find_libraries_and_tests_of_the_version_itself(node: NcclNode):
    libraries, program = shell(node, 'echo "$LD_LIBRARY_PATH"; command -v all_reduce_perf')
    place = node.shared / VERSION
    (place / "bin/all_reduce_perf").chmod(0o755)
    assert libraries.split(":")[0] == f"{place}/lib"
    assert program == f"{place}/bin/all_reduce_perf"


def test_a_shell_keeps_what_it_had_and_adds_nothing_twice(node: NcclNode):
    twice = f". {node.shared}/current/setup-nccl-env.sh"
    (line,) = shell(node, f'{twice}; echo "$LD_LIBRARY_PATH:$PATH"', LD_LIBRARY_PATH="/mine")
    parts = line.split(":")
    assert "/mine" in parts
    assert len(parts) == len(set(parts))


def test_it_sets_nothing_but_two_paths(node: NcclNode):
    before = {line.split("=")[0] for line in subprocess.run(
        ["bash", "-c", "env"], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True,
    ).stdout.splitlines()}  # fmt: skip
    after = {line.split("=")[0] for line in shell(node, "env")}
    assert after - before == {"LD_LIBRARY_PATH"}
    assert shell(node, "compgen -v | grep -i trainyard || true") == []


def test_other_shells_go_without_and_without_a_word(node: NcclNode):
    assert shell(node, 'echo "${LD_LIBRARY_PATH:-none}"', program="dash") == ["none"]


def test_it_works_under_strict_settings(node: NcclNode):
    ran = subprocess.run(
        ["bash", "-euc", f". {node.shared}/current/setup-nccl-env.sh; echo well"],
        env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout == "well\n"
