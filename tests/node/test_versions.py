"""`versions`: what is installed and what said so, on machines that are folders."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.node.machine import Machine
from trainyard_node.places import Places
from trainyard_node.processes import NOT_FOUND, Ran, StepEnd
from trainyard_node.versions import as_table, versions

NAMES = [
    "kernel", "nvidia-driver", "cuda", "nccl", "efa-installer", "efa-driver", "libfabric", "aws-ofi-nccl",
    "lustre-client", "docker", "nvidia-container-toolkit", "enroot", "pyxis", "slurm", "dcgm", "fabric-manager",
    "nvlsm", "neuron", "parallelcluster",
]  # fmt: skip


class Answers:
    """Programs that answer, by the first words of the question; others do not exist."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        """Give answers."""
        self._answers = answers

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        del timeout_s, stdin
        asked = " ".join(command)
        answers = [said for question, said in self._answers.items() if asked.startswith(question)]
        return Ran(0, answers[0]) if answers else Ran(NOT_FOUND, "no such program")

    def run_step(self, script: Path, variables: Mapping[str, str], log: Path, timeout_s: float) -> StepEnd:
        raise AssertionError(script, variables, log, timeout_s)


def found(root: Path, files: Mapping[str, str], answers: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return what was found, with what said so."""
    for name, text in files.items():
        file = root / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    all_of_them = versions(Places(str(root)), Answers(answers))
    assert [one.name for one in all_of_them] == NAMES
    return {one.name: (one.version, one.found_by or "") for one in all_of_them if one.version is not None}


def test_a_machine_with_nothing_has_no_versions(tmp_path: Path):
    assert found(tmp_path, {}, {}) == {}


@pytest.mark.parametrize(
    ("name", "file", "text", "version"),
    [
        ("nvidia-driver", "/sys/module/nvidia/version", "580.105.08\n", "580.105.08"),
        # The line of the open module: https://github.com/NVIDIA/open-gpu-kernel-modules
        ("nvidia-driver", "/proc/driver/nvidia/version",
         "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n", "570.86.15"),
        ("cuda", "/usr/local/cuda/version.json", '{"cuda": {"name": "CUDA SDK", "version": "13.0.2"}}', "13.0.2"),
        ("nccl", "/usr/lib/x86_64-linux-gnu/libnccl.so.2.28.7", "", "2.28.7"),
        ("nccl", "/usr/lib64/libnccl.so.2.27.5", "", "2.27.5"),
        ("efa-installer", "/opt/amazon/efa_installed_packages", "# EFA installer version: 1.44.0\n", "1.44.0"),
        ("aws-ofi-nccl", "/opt/amazon/efa_installed_packages", "libnccl-ofi_1.16.3-1_amd64.deb\n", "1.16.3"),
        ("lustre-client", "/sys/fs/lustre/version", "2.15.6\n", "2.15.6"),
        ("pyxis", "/opt/parallelcluster/sources/pyxis-0.20.0.tar.gz", "", "0.20.0"),
        ("neuron", "/sys/module/neuron/version", "2.24.7.0\n", "2.24.7.0"),
        ("parallelcluster", "/opt/parallelcluster/.bootstrapped", "aws-parallelcluster-cookbook-3.16.1\n", "3.16.1"),
    ],
)  # fmt: skip
def test_files_say_what_is_installed(tmp_path: Path, name: str, file: str, text: str, version: str):
    assert found(tmp_path, {file: text}, {})[name] == (version, file)


@pytest.mark.parametrize(
    ("name", "question", "said", "version"),
    [
        ("kernel", "uname -r", "6.8.0-1040-aws\n", "6.8.0-1040-aws"),
        ("cuda", "/usr/local/cuda/bin/nvcc --version", "Cuda compilation tools, release 12.8, V12.8.93", "12.8"),
        ("libfabric", "/opt/amazon/efa/bin/fi_info --version", "fi_info: 2.1.0\nlibfabric: 2.1.0amzn3.0\n",
         "2.1.0amzn3.0"),
        ("docker", "docker --version", "Docker version 28.5.1, build e180ab8\n", "28.5.1"),
        ("nvidia-container-toolkit", "nvidia-ctk --version", "NVIDIA Container Toolkit CLI version 1.18.0\n", "1.18.0"),
        ("slurm", "/opt/slurm/bin/scontrol --version", "slurm 25.05.4\n", "25.05.4"),
        ("dcgm", "dcgmi --version", "\ndcgmi  version: 4.4.1\n", "4.4.1"),
        ("fabric-manager", "nv-fabricmanager --version", "Fabric Manager version is : 580.105.08\n", "580.105.08"),
        ("enroot", "enroot version", "3.5.0\n", "3.5.0"),
    ],
)  # fmt: skip
def test_programs_say_what_is_installed(tmp_path: Path, name: str, question: str, said: str, version: str):
    assert found(tmp_path, {}, {question: said})[name] == (version, found_by(question))


def found_by(question: str) -> str:
    return question


def test_packages_of_either_kind_say_what_is_installed(tmp_path: Path):
    shown = "dpkg-query --show --showformat=${db:Status-Status} ${Version} nvlsm"
    assert found(tmp_path, {}, {shown: "installed 2025.06.11-1"})["nvlsm"] == ("2025.06.11-1", "package nvlsm")
    queried = "rpm --query --queryformat %{VERSION}-%{RELEASE} nvlsm"
    assert found(tmp_path, {}, {queried: "2025.06.11-1"})["nvlsm"] == ("2025.06.11-1", "package nvlsm")


def test_a_package_that_was_removed_and_left_its_settings_is_not_installed(tmp_path: Path):
    shown = "dpkg-query --show --showformat=${db:Status-Status} ${Version} nvlsm"
    assert "nvlsm" not in found(tmp_path, {}, {shown: "config-files 2025.06.11-1"})


def test_a_table_has_a_line_for_each(tmp_path: Path):
    text = as_table(versions(Places(str(tmp_path)), Answers({"uname": "6.8.0\n"})))
    assert text.splitlines()[:2] == [
        "kernel                    6.8.0                uname -r",
        "nvidia-driver             -",
    ]


@pytest.mark.integration
def test_a_program_that_hangs_makes_the_question_late_and_not_endless(machine: Machine):
    machine.program("docker", "exec sleep 600\n")
    ran = machine.run("versions", "--json")
    answer = json.loads(ran.stdout)["versions"]
    assert list(answer) == NAMES
    assert answer["docker"] == {"version": None, "found_by": None}
    assert answer["kernel"]["found_by"] == "uname -r"
