"""What the tests of exporters, shared NCCL and containers share: other scripts of a release, run on a node."""

from __future__ import annotations

import subprocess

from tests.bootstrap.steps.stubs import PROGRAMS, FakeNode
from trainyard.bootstrap.steps import ASSETS


def answers(node: FakeNode, name: str, body: str) -> None:
    """Put a program on the PATH that only answers a question, and whose calls are no actions."""
    file = node.bin / name
    file.write_text(f"#!/usr/bin/env bash\n{body}\n")
    file.chmod(0o755)


def command(node: FakeNode, script: str, *arguments: str) -> list[str]:
    """Return the command that runs a script of the release, such as nccl/use-nccl.sh."""
    return ["/bin/bash", str(ASSETS / script), *arguments]


def environment(node: FakeNode, **variables: str) -> dict[str, str]:
    lines = [f"TRAINYARD_{name.upper()}='{value}'\n" for name, value in sorted(node.settings.items())]
    if not node.has("etc/trainyard/node.env") or node.read("etc/trainyard/node.env") != "".join(lines):
        node.write("etc/trainyard/node.env", "".join(lines))
    return {
        "PATH": f"{node.bin}:/usr/bin:/bin", "HOME": "/root", "STUB": str(node.stub), "PROGRAMS": str(PROGRAMS),
        "TRAINYARD_SYSROOT": str(node.root), "TMPDIR": str(node.stub), **variables,
    }  # fmt: skip


def run_script(node: FakeNode, script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the release."""
    return subprocess.run(
        command(node, script, *arguments), env=environment(node, **variables),
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def verify_unit(node: FakeNode, unit: str, *programs: str) -> str:
    """Return what systemd finds wrong with a unit of the node, once these programs exist.

    It ends with 0 even where it finds something.
    """
    for name in programs:
        node.write(name, mode=0o755)
    for target in ("basic", "multi-user", "network-online", "shutdown", "sysinit"):
        node.write(f"usr/lib/systemd/system/{target}.target", "[Unit]\n")
    ran = subprocess.run(
        ["systemd-analyze", "verify", f"--root={node.root}", "--man=no", unit],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return ran.stdout + ran.stderr
