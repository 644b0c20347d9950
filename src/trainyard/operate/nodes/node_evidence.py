"""What an instance says of itself, by Systems Manager: its health, GPUs, Xids, kernel messages and EFA counters."""

from __future__ import annotations

import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from trainyard import edge
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import TrainyardError

_SOON_S = 30  # a node may be ill
_MOST_BYTES = 4_000_000
_GPU = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def node_evidence(account: Account, instance_id: str) -> dict[str, list[str]]:
    """Return what a node says of itself, by parts, each in lines. Raises TrainyardError where it does not answer."""
    node = SsmSlurm(account, instance_id, delivery_s=_SOON_S, running_s=90)
    content = node.run(("bash", "-s"), _script()).output
    try:
        text = zlib.decompressobj(wbits=31).decompress(content, _MOST_BYTES).decode("utf-8", "replace")
    except zlib.error as error:
        raise TrainyardError(f"what {instance_id} answers is damaged: {error}") from error
    parts: dict[str, list[str]] = {}
    lines = parts.setdefault("", [])
    for line in text.split("\n"):
        if line.startswith("== "):
            lines = parts.setdefault(line[3:], [])
        elif line:
            lines.append(line)
    return {name: lines for name, lines in parts.items() if lines}


def gpus_in(evidence: Any) -> frozenset[str]:
    """Return the UUIDs of the GPUs that a node has listed; none where it has not answered."""
    lines = evidence.get("gpus", ()) if isinstance(evidence, dict) else ()
    return frozenset(uuid for line in lines for uuid in _GPU.findall(line))


@cache
def _script() -> bytes:
    return (Path(edge.__file__).parent / "remote" / "node_evidence.sh").read_bytes()
