"""A node for a step to run on: a folder that is its root, and programs that record how they are called.

node = FakeNode(tmp_path, "alinux2023", role="compute-gpu", gpus="8")
node.program("fi_info", "echo 'provider: efa'")
ran = node.run("20-efa")
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trainyard.bootstrap.steps import ASSETS

PROGRAMS = Path(__file__).parent / "programs"
# They could change this machine, or wait.
DO_NOTHING = (
    "apt", "apt-get", "aws", "chown", "curl", "dnf", "docker", "enroot", "groupadd", "journalctl", "logger", "lsmod",
    "modprobe", "mount", "nvidia-ctk", "nvidia-smi", "reboot", "scontrol", "sinfo", "sleep", "srun", "sysctl",
    "udevadm", "umount", "useradd", "usermod", "wget",
)  # fmt: skip
# What only asks: every other call changes something.
QUESTIONS = {
    "apt-mark": {"showhold"},
    "aws": {"--version"},
    "docker": {"info", "version", "images", "inspect"},
    "enroot": {"version", "list"},
    "nvidia-ctk": {"--version"},
    "rpm": {"--query", "-q", "-qa", "-qp"},
    "scontrol": {"show", "ping"},
    "systemctl": {
        "is-active",
        "is-enabled",
        "is-failed",
        "show",
        "cat",
        "list-units",
        "list-unit-files",
        "daemon-reload",
    },
    "trainyard-node": {"asset"},
}
ALWAYS_QUESTIONS = {
    "dpkg-deb",
    "dpkg-query",
    "fi_info",
    "journalctl",
    "logger",
    "lsmod",
    "nvidia-smi",
    "sinfo",
    "sleep",
}

SETTINGS = {
    "cluster": "llm", "region": "us-east-2", "folder": "s3://mine/trainyard/llm", "role": "compute-gpu",
    "queue": "train", "instance_id": "i-0123456789abcdef0", "instance_type": "p5.48xlarge", "arch": "x86_64",
    "setup": "gpu", "containers": "1", "monitoring": "none", "efa_version": "",
    "efa_interfaces": "", "gpus": "", "fabric": "none", "shared": "",
    "nccl_version": "", "container_images": "", "on_failure": "terminate", "health_checks": "0",
}  # fmt: skip


class FakeNode:
    """A node that is a folder: `root` is its root, `release` the unpacked release, `stub` what stand-ins remember."""

    def __init__(self, place: Path, os_name: str = "ubuntu2204", **settings: str) -> None:
        """Make a node of an operating system; settings are those of node.env, in lower case without TRAINYARD_."""
        self.root, self.release, self.stub, self.bin = (place / name for name in ("root", "release", "stub", "bin"))
        for folder in (self.root / "run/systemd/system", self.release, self.stub, self.bin):
            folder.mkdir(parents=True)
        self.settings = {**SETTINGS, "os": os_name, "release": str(self.release), **settings}
        for name in DO_NOTHING:
            self.program(name)
        for file in PROGRAMS.iterdir():
            if file.suffix == ".pyz":
                (self.release / file.name).write_bytes(file.read_bytes())
            elif not file.suffix:
                self.program(file.name, file.read_text().split('. "$PROGRAMS/record.sh"\n', 1)[1])

    def program(self, name: str, body: str = "") -> None:
        """Put a stand-in for a program on the PATH: a shell text that runs once the call is recorded."""
        file = self.bin / name
        file.write_text(f'#!/usr/bin/env bash\n. "$PROGRAMS/record.sh"\n{body}\n')
        file.chmod(0o755)

    def fail(self, program: str, text: str, *, status: int = 1, times: int = 99) -> None:
        """Let the next calls of a program end with a status and say a text."""
        self._remember(f"fails/{program}", f"{times} {status} {text}\n")

    def works_again(self, program: str) -> None:
        (self.stub / "fails" / program).unlink()

    def write(self, path: str, text: str = "", mode: int = 0o644) -> Path:
        """Write a file of the node."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def read(self, path: str) -> str:
        return (self.root / path.lstrip("/")).read_text()

    def has(self, path: str) -> bool:
        return os.path.lexists(self.root / path.lstrip("/"))

    def asset(self, name: str, file: str, content: bytes) -> Path:
        """Give an asset a file, which `asset NAME` prints."""
        self.asset_arrives(name)
        path = self.stub / "assets" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def asset_fails(self, name: str, status: int, text: str) -> None:
        """Let `asset NAME` end with a status and say a text."""
        self._remember(f"asset-problems/{name}", f"{status} {text}\n")

    def asset_arrives(self, name: str) -> None:
        """Let `asset NAME` print its files again."""
        (self.stub / "asset-problems" / name).unlink(missing_ok=True)

    def package_file(self, asset: str, name: str, version: str) -> Path:
        """Give an asset a package, as dpkg and rpm read it here."""
        kind = "rpm" if self.settings["os"].startswith("al") else "deb"
        return self.asset(asset, f"{name}-{version}.{kind}", f"Package: {name}\nVersion: {version}\n".encode())

    def package(self, name: str, version: str = "1.0") -> None:
        """Let a package be installed."""
        self._remember(f"packages/{name}", version)

    def packages(self) -> dict[str, str]:
        """Return the installed packages and their versions."""
        return {file.name: file.read_text().strip() for file in self._files("packages")}

    def unit(self, name: str, *, enabled: bool = False, active: bool = False, broken: bool = False) -> None:
        """Let a systemd unit exist, such as docker.service."""
        self.write(f"usr/lib/systemd/system/{name}")
        for state, wanted in {"enabled": enabled, "active": active, "broken": broken}.items():
            file = self.stub / "units" / f"{name}.{state}"
            file.unlink(missing_ok=True)
            if wanted:
                self._remember(f"units/{name}.{state}")

    def is_active(self, unit: str) -> bool:
        return (self.stub / "units" / f"{unit}.active").exists()

    def is_enabled(self, unit: str) -> bool:
        return (self.stub / "units" / f"{unit}.enabled").exists()

    @contextmanager
    def package_lock_held(self) -> Iterator[None]:
        """Hold dpkg's or rpm's lock, as a program that installs packages."""
        name = "var/lib/rpm/.rpm.lock" if self.settings["os"].startswith("al") else "var/lib/dpkg/lock-frontend"
        with self.write(name).open("r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def run(self, step: str, *, disk_full: bool = False, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a step, such as 20-efa. On a full disk, no byte can be written to a file."""
        self.write_settings()
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": "/root", "STUB": str(self.stub), "PROGRAMS": str(PROGRAMS),
            "TRAINYARD_SYSROOT": str(self.root), "TRAINYARD_LOCK_WAIT_S": "1", **variables,
        }  # fmt: skip
        limit = "trap '' XFSZ; ulimit -S -f 0; " if disk_full else ""
        return subprocess.run(
            ["bash", "-c", f'{limit}exec bash "$@"', "bash", ASSETS / "steps" / f"{step}.sh"],
            env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip

    def calls(self, program: str | None = None) -> list[list[str]]:
        """Return the words of every call so far, or of those of one program."""
        file = self.stub / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        words = [line.split("\x1f")[:-1] for line in lines]
        return [call for call in words if program in {None, call[0]}]

    def forget_calls(self) -> None:
        (self.stub / "calls").unlink(missing_ok=True)

    def actions(self) -> list[str]:
        """Return the calls that change something, each as one text."""
        return [" ".join(call) for call in self.calls() if not _asks(call)]

    def files(self) -> dict[str, tuple[int, str, float]]:
        """Return what lies in the root: mode, content or target, and when it was written."""
        return {str(path.relative_to(self.root)): _state(path) for path in sorted(self.root.rglob("*"))}

    def write_settings(self) -> None:
        """Write node.env, which a run does anyway."""
        lines = [f"TRAINYARD_{name.upper()}='{value}'\n" for name, value in sorted(self.settings.items())]
        text = "".join(lines)
        if not self.has("etc/trainyard/node.env") or self.read("etc/trainyard/node.env") != text:
            self.write("etc/trainyard/node.env", text)

    def _remember(self, name: str, text: str = "") -> None:
        file = self.stub / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def _files(self, folder: str) -> list[Path]:
        place = self.stub / folder
        return sorted(place.iterdir()) if place.is_dir() else []


def complaint(ran: subprocess.CompletedProcess[str], status: int) -> str:
    """Return the last line that a step wrote to standard error, where it ended with that status."""
    assert ran.returncode == status, f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return ran.stderr.splitlines()[-1]


def runs_well(node: FakeNode, step: str) -> str:
    """Run a step that has to end well, and return what it said."""
    ran = node.run(step)
    assert ran.returncode == 0, f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def changes_nothing(node: FakeNode, step: str) -> None:
    """Run a step once more: it has to say that nothing is to do, to leave every file alone and to act on nothing."""
    node.write_settings()
    before = node.files()
    node.forget_calls()
    said = runs_well(node, step)
    assert node.files() == before
    assert node.actions() == []
    assert "nothing to do" in said


def _asks(call: list[str]) -> bool:
    program, words = call[0], [word for word in call[1:] if word != "--quiet"]
    return program in ALWAYS_QUESTIONS or (bool(words) and words[0] in QUESTIONS.get(program, set()))


def _state(path: Path) -> tuple[int, str, float]:
    found = path.lstat()
    if path.is_symlink():
        return found.st_mode, str(path.readlink()), 0.0
    if path.is_dir():
        return found.st_mode, "", 0.0
    return found.st_mode, path.read_text(errors="replace"), found.st_mtime
