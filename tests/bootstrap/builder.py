"""A machine that becomes an image: a folder that is its root, and programs that stand for AWS and ParallelCluster."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.bootstrap.launcher import image_script
from trainyard.bootstrap.pyz import trainyard_node_pyz

FOLDER = "s3://mine/trainyard/llm"
PROGRAMS = {
    # Copies a release, or fails as often as the file says.
    "aws": 'echo "$@" >> "$STUB/calls"\n'
    'left=$(cat "$STUB/refusals" 2>/dev/null || echo 0)\n'
    'if [ "$left" -gt 0 ]; then echo $((left - 1)) > "$STUB/refusals"; echo refused >&2; exit 1; fi\n'
    'cat "$STUB/bucket.tar" > "${@: -1}"\n',
    "ami_cleanup.sh": 'echo cleaned >> "$STUB/calls"\n',
    "sleep": 'echo "$@" >> "$STUB/slept"\n',
}
# A step says what it was given and leaves something behind, as real ones do.
STEP = b"""#!/usr/bin/env bash
set -euo pipefail
. "$TRAINYARD_SYSROOT/etc/trainyard/node.env"
echo "$(basename "$0") for $TRAINYARD_ROLE of $TRAINYARD_CLUSTER, ${TRAINYARD_GPUS:-any} GPUs" >> "$STUB/steps"
mkdir -p "$TRAINYARD_SYSROOT/var/log/trainyard" "$TRAINYARD_SYSROOT/etc/docker"
echo done > "$TRAINYARD_SYSROOT/var/log/trainyard/step.log"
echo '{}' > "$TRAINYARD_SYSROOT/etc/docker/daemon.json"
"""
PLAN: dict[str, Any] = {
    "schema": 1,
    "cluster": "llm",
    "region": "us-east-2",
    "on_failure": "terminate",
    "nodes": {"queue/gpu": {"settings": {"TRAINYARD_ROLE": "compute-gpu", "TRAINYARD_GPUS": "8"}, "steps": []}},
}


@cache
def package() -> bytes:
    return trainyard_node_pyz()


class Builder:
    """A machine on which install.sh runs."""

    def __init__(self, place: Path, steps: dict[str, bytes] | None = None) -> None:
        """Make it, and a release with these steps."""
        self.root, self.stub, self.bin = (place / name for name in ("root", "stub", "bin"))
        for folder in (self.root / "etc" / "ssh", self.stub, self.bin):
            folder.mkdir(parents=True)
        (self.root / "etc/os-release").write_text("ID=ubuntu\nVERSION_ID='22.04'\n")
        (self.root / "etc/machine-id").write_text("0123\n")
        (self.root / "etc/ssh/ssh_host_rsa_key").write_text("secret")
        for name, body in PROGRAMS.items():
            self.program(name, body)
        self.steps = {"10-packages": STEP, "30-docker": STEP} if steps is None else steps
        self.release = archive(self.steps)
        (self.stub / "bucket.tar").write_bytes(self.release)
        self.script = place / "install.sh"
        self.script.write_bytes(image_script(self.settings()))

    def settings(self, **other: Any) -> dict[str, Any]:
        sha256 = hashlib.sha256(self.release).hexdigest()
        steps = [{"script": f"steps/{name}.sh", "timeout_s": 20} for name in self.steps]
        own = {"folder": FOLDER, "region": "us-east-2", "sha256": sha256, "file": "r.tar", "node": "queue/gpu"}
        return {**own, "steps": steps, **other}

    def program(self, name: str, body: str) -> None:
        file = self.bin / name
        file.write_text(f"#!/bin/bash\n{body}")
        file.chmod(0o755)

    def said(self, name: str) -> list[str]:
        file = self.stub / name
        return file.read_text().splitlines() if file.exists() else []

    def inventory(self) -> dict[str, Any]:
        values: dict[str, Any] = json.loads((self.root / "opt/trainyard/image-inventory.json").read_text())
        return values

    def bake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "STUB": str(self.stub),
            "TRAINYARD_SYSROOT": str(self.root),
            "TRAINYARD_IMAGE_DATE": "2026-11-21T12:00:00Z",
        }
        return subprocess.run(
            ["/bin/bash", str(self.script), *arguments],
            env=variables, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip


def archive(steps: dict[str, bytes]) -> bytes:
    """Return a release with these steps."""
    files = {f"steps/{name}.sh": content for name, content in steps.items()}
    files |= {"plan.json": json.dumps(PLAN).encode(), "trainyard-node.pyz": package()}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
