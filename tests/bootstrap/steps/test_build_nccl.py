"""The job that builds the shared NCCL."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.nccl_node import VERSION, NcclNode, source
from tests.bootstrap.steps.scripts import answers, command, environment, run_script
from tests.bootstrap.steps.stubs import complaint
from tests.waiting import wait_until
from trainyard.bootstrap.steps import ASSETS


@pytest.fixture
def node(tmp_path: Path) -> NcclNode:
    return NcclNode(tmp_path)


def make_words(node: NcclNode, target: str) -> list[str]:
    (call,) = [call for call in node.calls("make") if target in call]
    return call


def kill_while_compiling(node: NcclNode, how: signal.Signals) -> None:
    """Start a build, and end it and all that it started once it compiles."""
    (node.stub / "slow").touch()
    build = subprocess.Popen(
        command(node, "nccl/build-nccl.sh"), env=environment(node), start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: (node.stub / "compiling").exists() or build.poll() is not None)
    assert build.poll() is None
    os.killpg(build.pid, how)
    build.wait(timeout=300)
    (node.stub / "slow").unlink()


def test_a_version_is_built_whole(node: NcclNode):
    node.built()
    place = node.shared / VERSION
    assert {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()} == {
        "lib/libnccl.so",
        "lib/libnccl.so.2",
        "lib/libnccl_static.a",
        "bin/all_reduce_perf",
        "manifest.json",
        "setup-nccl-env.sh",
    }
    assert node.leftovers() == []


def test_the_manifest_says_what_was_built(node: NcclNode):
    node.built()
    manifest = node.manifest()
    library = hashlib.sha256((node.shared / VERSION / "lib/libnccl.so.2").read_bytes()).hexdigest()
    files = manifest.pop("files")
    sources = manifest.pop("sources")
    manifest.pop("built")
    assert isinstance(files, dict)
    assert isinstance(sources, dict)
    assert files["lib/libnccl.so.2"] == library
    assert manifest.pop("links") == {"lib/libnccl.so": "libnccl.so.2"}
    assert set(sources) == {"nccl-2.28.7-1.tar.gz", "nccl-tests-2.17.6.tar.gz"}
    assert manifest == {
        "schema": 1, "nccl": VERSION, "nccl_tests": "2.17.6", "aws_ofi_nccl": "bundled with EFA",
        "architectures": ["90"], "cuda": "13.0", "compiler": "g++ (Ubuntu 11.4.0) 11.4.0",
        "os": "ubuntu2204", "arch": "x86_64",
    }  # fmt: skip


def test_the_checksums_lie_where_only_root_of_the_cluster_may_write(node: NcclNode):
    node.built()
    kept = node.manifests / f"{VERSION}.json"
    assert kept.read_text() == (node.shared / VERSION / "manifest.json").read_text()
    assert (kept.stat().st_uid, oct(kept.stat().st_mode & 0o777)) == (os.geteuid(), "0o644")
    assert str((node.manifests / "current").readlink()) == f"{VERSION}.json"


def test_the_checksums_are_those_of_what_was_built_whatever_becomes_of_the_shared_files(node: NcclNode):
    answers(node, "cp", '/bin/cp "$@" && case $* in *--recursive*) echo planted >"${!#}/lib/libnccl.so.2" ;; esac')
    assert "is not what was built" in complaint(node.build(), 65)
    assert not (node.manifests / "current").is_symlink()


def test_without_the_folder_of_slurm_nothing_is_trusted(node: NcclNode):
    (node.root / "opt/slurm/etc").rmdir()
    assert "run this on a node that ParallelCluster configured" in complaint(node.build(), 66)
    assert node.seen() == []


def test_a_version_that_another_cluster_built_is_not_taken_unasked(tmp_path: Path):
    other, node = NcclNode(tmp_path / "other"), NcclNode(tmp_path / "own")
    other.built()
    node.take(other)
    shutil.rmtree(node.manifests)
    assert f"'use-nccl.sh --trust {VERSION}'" in complaint(node.build(), 64)


def test_the_architectures_are_those_of_the_node(node: NcclNode):
    node.built()
    assert "NVCC_GENCODE=-gencode=arch=compute_90,code=sm_90 " in make_words(node, "src.build")
    assert "NVCC_GENCODE=-gencode=arch=compute_90,code=sm_90 " in make_words(node, "MPI=1")


@pytest.mark.parametrize("text", ["80 90 100 103", "103,100,90,80,80"])
def test_other_architectures_can_be_named(node: NcclNode, text: str):
    node.built("--architectures", text)
    assert node.manifest()["architectures"] == ["80", "90", "100", "103"]
    assert "code=sm_103" in " ".join(make_words(node, "src.build"))


def test_nccl_knows_its_final_place(node: NcclNode):
    node.built()
    assert f"PREFIX={node.shared / VERSION}" in make_words(node, "src.build")


def test_the_first_version_becomes_the_current_one(node: NcclNode):
    node.built()
    assert str((node.shared / "current").readlink()) == VERSION


def test_a_second_version_lies_beside_the_first_and_switches_nothing(node: NcclNode):
    node.built()
    node.built(version="2.29.3-1")
    assert node.seen() == [VERSION, "2.29.3-1", "current"]
    assert str((node.shared / "current").readlink()) == VERSION


def test_a_second_run_builds_nothing(node: NcclNode):
    node.built()
    node.forget_calls()
    before = node.files()
    assert "is there, for sm_90" in node.built()
    assert node.calls("make") == []
    assert node.files() == before


def test_a_version_that_lacks_an_architecture_is_not_changed(node: NcclNode):
    node.built()
    line = complaint(node.build("--architectures", "90 100"), 64)
    assert (
        'is built for sm_90, not for sm_100: once no job uses it, remove it and build with --architectures "90 100"'
        in line
    )


def test_the_plugin_is_built_where_the_spec_names_one(node: NcclNode):
    node.lock_plugin()
    node.built()
    assert (node.shared / VERSION / "lib/libnccl-net.so").read_text() == "plugin\n"
    assert node.manifest()["aws_ofi_nccl"] == "1.17.2"


def test_the_plugin_is_built_where_the_image_has_none(node: NcclNode):
    (node.root / "opt/amazon/ofi-nccl").rmdir()
    node.lock_plugin()
    node.built()
    assert (node.shared / VERSION / "lib/libnccl-net.so").exists()


def test_without_any_plugin_nothing_is_built(node: NcclNode):
    (node.root / "opt/amazon/ofi-nccl").rmdir()
    assert "set software.nccl.ofi_version" in complaint(node.build(), 64)
    assert node.seen() == []
    assert node.calls("make") == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_build_that_dies_leaves_nothing_that_looks_finished(node: NcclNode, how: signal.Signals):
    kill_while_compiling(node, how)
    assert node.seen() == []
    node.built()
    assert node.seen() == [VERSION, "current"]
    assert node.leftovers() == []


def test_a_cancelled_build_cleans_up(node: NcclNode):
    kill_while_compiling(node, signal.SIGTERM)
    assert node.leftovers() == []
    assert not list(node.stub.glob("build-nccl.*"))


@pytest.mark.parametrize("target", ["src.build", "src.install", "MPI=1"])
def test_a_build_that_fails_leaves_nothing_and_is_told(node: NcclNode, target: str):
    good = (node.bin / "make").read_text()
    bad = f'case " $* " in *" {target} "*) echo "ptxas fatal: something" && exit 2 ;; esac\n'
    answers(node, "make", f"{bad}{good}")
    assert "ptxas fatal: something" in complaint(node.build(), 1)
    assert node.seen() == []
    assert node.leftovers() == []


def test_a_build_that_ends_well_without_a_library_is_told(node: NcclNode):
    answers(node, "make", "exit 0")
    assert "left no libnccl.so.2" in complaint(node.build(), 1)
    assert node.seen() == []


def test_a_full_file_system_is_told(node: NcclNode):
    answers(node, "make", "echo 'cp: error writing: No space left on device' >&2; exit 1")
    assert "no space left" in complaint(node.build(), 73)
    assert node.seen() == []


@pytest.mark.parametrize(("status", "text"), [(65, "nccl is damaged"), (69, "nccl was never mirrored")])
def test_what_is_wrong_with_a_source_is_passed_on(node: NcclNode, status: int, text: str):
    node.asset_fails("nccl", status, text)
    ran = node.build()
    assert (ran.returncode, ran.stderr.strip()) == (status, text)
    assert node.seen() == []


def test_an_archive_that_is_none_is_told(node: NcclNode):
    node.asset("nccl", "nccl-2.28.7-1.tar.gz", b"no archive")
    assert "cannot unpack nccl-2.28.7-1.tar.gz" in complaint(node.build(), 1)


def test_two_builds_of_a_version_do_not_collide(node: NcclNode):
    builds = [
        subprocess.Popen(command(node, "nccl/build-nccl.sh"), env=environment(node), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [build.communicate(timeout=300)[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0]
    assert sum("is there, for sm_90" in text for text in said) == 1
    assert len([call for call in node.calls("make") if "src.build" in call]) == 1
    assert node.leftovers() == []


def test_a_build_does_not_wait_forever_for_another(node: NcclNode):
    node.write(f"fsx/nccl/.{VERSION}.lock")
    with subprocess.Popen(["flock", node.shared / f".{VERSION}.lock", "sh", "-c", "echo held; read -r _"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert "somebody else still builds NCCL" in complaint(node.build(TRAINYARD_BUILD_WAIT_S="0"), 75)
        holder.communicate("\n")


@pytest.mark.parametrize("text", ["9", "ninety", "90 $(reboot)", "-j"])
def test_what_is_no_architecture_is_told(node: NcclNode, text: str):
    assert "is no architecture, such as 90" in complaint(node.build("--architectures", text), 64)


def test_an_architecture_that_cuda_does_not_know_is_told(node: NcclNode):
    assert "CUDA 13.0 cannot build for sm_120" in complaint(node.build("--architectures", "120"), 64)


def test_a_node_without_gpus_has_to_be_told_what_to_build_for(node: NcclNode):
    answers(node, "nvidia-smi", "exit 9")
    assert "this node shows no GPU" in complaint(node.build(), 66)


@pytest.mark.parametrize("missing", ["usr/local/cuda/bin/nvcc", "opt/amazon/openmpi/lib", "opt/amazon/efa/lib"])
def test_a_node_without_the_tools_is_told(node: NcclNode, missing: str):
    (node.root / missing).rename(node.root / "away")
    assert f"{missing} is missing: build on a node of a GPU queue" in complaint(node.build(), 66)


def test_without_the_shared_file_system_nothing_is_built(node: NcclNode):
    node.shared.rmdir()
    assert "is the shared file system mounted" in complaint(node.build(), 66)


def test_a_folder_without_a_manifest_is_not_taken_for_a_version(node: NcclNode):
    (node.shared / VERSION).mkdir()
    assert "holds no manifest that can be read" in complaint(node.build(), 65)


def test_the_job_runs_the_script_of_the_release(node: NcclNode):
    folder = node.root / "opt/trainyard"
    folder.mkdir(parents=True)
    (folder / "current").symlink_to(ASSETS)
    ran = run_script(node, "nccl/build-nccl.sbatch", "--architectures", "90")
    assert ran.returncode == 0, ran.stderr
    assert node.seen() == [VERSION, "current"]


def test_the_inspector_is_built_where_the_source_has_one_that_writes_for_prometheus(node: NcclNode):
    files = {"plugins/profiler/inspector/inspector_prom.cc": "x"}
    node.asset("nccl", "nccl-2.28.7-1.tar.gz", source("nccl-2.28.7-1", **files))
    node.built()
    assert (node.shared / VERSION / "lib/libnccl-profiler-inspector.so").read_text() == "inspector\n"
    assert "lib/libnccl-profiler-inspector.so" in node.manifest()["files"]


@pytest.mark.parametrize(("asked", "chosen", "expected"), [
    (False, "", ""), (True, "", "1 {lib} {folder}"), (True, "mine.so", " mine.so "),
])  # fmt: skip
def test_jobs_load_the_inspector_where_the_node_has_its_folder_and_they_no_other(
    asked: bool,  # noqa: FBT001
    chosen: str,
    expected: str,
    node: NcclNode,
):
    node.asset(
        "nccl", "nccl-2.28.7-1.tar.gz", source("nccl-2.28.7-1", **{"plugins/profiler/inspector/inspector_prom.cc": "x"})
    )
    node.built()
    folder, lib = (
        node.root / "var/lib/trainyard/nccl-inspector",
        node.shared / VERSION / "lib/libnccl-profiler-inspector.so",
    )
    if asked:
        folder.mkdir(parents=True)
    tell = 'echo "${NCCL_INSPECTOR_ENABLE:-} ${NCCL_PROFILER_PLUGIN:-} ${NCCL_INSPECTOR_DUMP_DIR:-}"'
    ran = subprocess.run(
        ["bash", "-euc", f". {node.shared}/current/setup-nccl-env.sh; {tell}"],
        env={"PATH": "/usr/bin:/bin", "TRAINYARD_SYSROOT": str(node.root), "NCCL_PROFILER_PLUGIN": chosen},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = expected.format(lib=lib.resolve(), folder=f"{folder}/{os.getuid()}")
    assert ran.stdout.split() == words.split()
