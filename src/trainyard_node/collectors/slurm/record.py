"""Records as squeue and sinfo print them for us: control characters part fields and records, which no name may hold.

A reason may hold spaces, quotes, line breaks and anything else, and is still one field.
"""

from __future__ import annotations

from trainyard_node.errors import NodeError

FIELD = "\x1f"
RECORD = "\x1e\n"


def output_format(*fields: str) -> str:
    """Return fields as --Format takes them, each whole: https://slurm.schedmd.com/squeue.html#OPT_Format ."""
    return ",".join([f"{name}:{FIELD}" for name in fields[:-1]] + [f"{fields[-1]}:{RECORD[0]}"])


def records(output: bytes, program: str) -> list[str]:
    """Return the records. Raises NodeError where the output stops in the middle of one."""
    text = output.decode("utf-8", "replace")
    if text and not text.endswith(RECORD):
        raise NodeError(f"{program} printed {text[-60:]!a} at the end, which is not what it was asked for")
    return text.split(RECORD)[:-1]
