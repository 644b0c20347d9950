"""A machine to run the node package on: a folder that is its root, a release, and stand-ins for other programs."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard.bootstrap.steps import ASSETS

CLUSTER_FOLDER = "s3://mine/trainyard/llm"
INSTANCE = "i-0123456789abcdef0"
ARN = f"arn:aws:ec2:us-east-2:123456789012:instance/{INSTANCE}"
DIGEST = "ab" * 32
NODE_NAME = "train-st-p5-1"
# What the stand-ins do: each remembers how it was called. aws copies to and from a folder, or fails as a file says.
PROGRAMS = {
    "aws": """\
object="$STUB/bucket/${@: -1}"; [[ ${@: -2:1} == s3://* ]] && object="$STUB/bucket/${@: -2:1}"
[[ ! -e $STUB/aws-hangs ]] || exec sleep 600
[[ ! -s $STUB/aws-fails ]] || { cat "$STUB/aws-fails" >&2; exit 1; }
mkdir -p "$(dirname "$object")"
if [[ ${@: -2:1} == - ]]; then cat > "$object"; cat "$object" >> "$object.all"; exit; fi
[[ -e $object ]] || { echo 'fatal error: An error occurred (404) when calling the HeadObject operation' >&2; exit 1; }
cat "$object" > "${@: -1}" || { echo "download failed: [Errno 28] No space left on device" >&2; exit 1; }
""",
    "logger": 'printf "%s\\n" "${@: -1}" >> "$STUB/log"\n',
    "scontrol": """\
[[ ! -e $STUB/scontrol-fails ]] || { cat "$STUB/scontrol-fails" >&2; exit 1; }
case "$1 $2" in
"create reservation") touch "$STUB/reserved-${3#ReservationName=}" ;;
"show reservation")
  [[ -e $STUB/reserved-$3 ]] || { echo "Reservation $3 not found"; exit 1; }
  echo "ReservationName=$3 StartTime=now"
  ;;
"delete "*) rm "$STUB/reserved-${2#ReservationName=}" ;;
esac
""",
    "squeue": '[[ ! -s $STUB/jobs ]] || cat "$STUB/jobs"\n',
    "systemctl": "[[ ! -e $STUB/no-systemd ]] || exit 1\n",
}


class Machine:
    """A machine. Unless told otherwise it is a compute node of the queue train."""

    def __init__(self, place: Path, endpoint: str = "http://127.0.0.1:9") -> None:
        """Make it, with a metadata service at an endpoint: by default, nothing answers there."""
        self.root, self.stub, self.bin = place / "root", place / "stub", place / "bin"
        self.release = place / "releases" / DIGEST
        self._endpoint = endpoint
        for folder in (self.root, self.stub, self.bin, self.release / "steps"):
            folder.mkdir(parents=True)
        for name, body in PROGRAMS.items():
            self.program(name, body)
        for file in ("common.sh", "run.sh"):
            shutil.copy(ASSETS / file, self.release)
        (self.release / "trainyard-node.pyz").write_bytes(_pyz())
        self.write("etc/os-release", 'ID=ubuntu\nVERSION_ID="24.04"\n')
        self.write("etc/parallelcluster/slurm_plugin/slurm_nodename", NODE_NAME)
        self.be("ComputeFleet", "train")
        self.plan()

    def be(self, node_type: str, queue: str = "") -> None:
        """Let ParallelCluster say which node it is, beside what must never be run."""
        text = f"cfn_region=us-east-2\ncfn_node_type={node_type}\ncfn_scheduler_queue_name={queue}\n"
        self.write("etc/parallelcluster/cfnconfig", text + f'cfn_args=("$(touch {self.stub}/was-run)")\n')

    def plan(self, *steps: dict[str, Any], entry: str = "queue/train", on_failure: str = "terminate") -> None:
        """Write a plan."""
        settings = {"TRAINYARD_ROLE": "compute-gpu", "TRAINYARD_SETUP": "gpu"}
        nodes = {entry: {"settings": settings, "steps": list(steps)}}
        values = {"schema": 1, "cluster": "llm", "region": "us-east-2", "on_failure": on_failure, "nodes": nodes}
        (self.release / "plan.json").write_text(json.dumps(values))

    def step(self, number: int, name: str, text: str, **values: Any) -> dict[str, Any]:
        """Write the script of a step, and return it as a plan holds it."""
        script = f"steps/{number}-{name}.sh"
        head = '#!/usr/bin/env bash\nset -euo pipefail\n. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"\n'
        (self.release / script).write_text(head + text + "\n")
        step = {"name": name, "script": script, "required": True, "network": False, "timeout_s": 60, "deferred": False}
        return {**step, **values}

    def program(self, name: str, body: str) -> None:
        file = self.bin / name
        file.write_text(f'#!/usr/bin/env bash\nprintf "%s\\n" "{name} $*" >> "$STUB/calls"\n{body}')
        file.chmod(0o755)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def tell(self, name: str, text: str = "") -> None:
        """Change what a stand-in does."""
        (self.stub / name).write_text(text)

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.bin}:/usr/bin:/bin", "STUB": str(self.stub), "TRAINYARD_SYSROOT": str(self.root),
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": self._endpoint, "HOME": "/root",
        }  # fmt: skip

    def command(self, *words: str, python: str | Path = sys.executable) -> list[str]:
        return [str(python), str(self.release / "trainyard-node.pyz"), *words]

    def run(self, *words: str, python: str | Path = sys.executable) -> subprocess.CompletedProcess[str]:
        """Run a command of the package."""
        return subprocess.run(
            self.command(*words, python=python),
            env=self.environment(), capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip

    def bootstrap(
        self, python: str | Path = sys.executable, release: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Bring the node up, as launch.sh does, or as somebody does who reaches the release in another way."""
        folder = self.release.parent.parent / "python"
        folder.mkdir(exist_ok=True)
        (folder / "python3").unlink(missing_ok=True)
        (folder / "python3").write_text(f'#!/bin/sh\nexec {python} "$@"\n')
        (folder / "python3").chmod(0o755)
        environment = self.environment()
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        return subprocess.run(
            ["bash", str((release or self.release) / "run.sh"), CLUSTER_FOLDER],
            env=environment, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        values: dict[str, Any] = json.loads((self.root / "var/lib/trainyard/bootstrap.json").read_text())
        return values

    def uploaded(self, key: str) -> str:
        return (self.stub / "bucket" / CLUSTER_FOLDER / key).read_text()

    def uploaded_record(self) -> dict[str, Any]:
        values: dict[str, Any] = json.loads(self.uploaded(f"nodes/{ARN}.json"))
        return values

    def calls(self, program: str) -> list[str]:
        file = self.stub / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        return [line for line in lines if line.split()[0] == program]

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.stub / "log").read_text().splitlines()]

    def is_ready(self) -> bool:
        return (self.root / "run/trainyard/ready").exists()


def states(record: dict[str, Any]) -> dict[str, str]:
    """Return what became of each step."""
    return {step["name"]: step["status"] for step in record["steps"]}


def pythons() -> list[Path]:
    """Return Pythons of several versions, where this machine has them beside its own."""
    versions = Path.home() / ".pyenv" / "versions"
    found = [sorted(versions.glob(f"3.{minor}.*/bin/python3"))[-1:] for minor in (9, 10, 12)]
    return [Path(sys.executable), *itertools.chain(*found)]


@cache
def _pyz() -> bytes:
    return trainyard_node_pyz()
