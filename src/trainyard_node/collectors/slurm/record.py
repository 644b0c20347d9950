"""Records as squeue and sinfo print them for us, which what stands in them cannot end.

A reason may hold spaces, quotes, line breaks and control characters, and a user may give a job any name, and any
account where Slurm does not check accounts. So what others write is followed by a word that nobody can guess.
"""

from __future__ import annotations

import secrets

from trainyard_node.errors import NodeError

FIELD = "\x1f"


def new_end() -> str:
    """Return what ends the records of one reading."""
    return "\x1e" + secrets.token_hex(8)


def output_format(end: str, *fields: str) -> str:
    """Return fields as --Format takes them, whole or with a width as in Name:64.

    https://slurm.schedmd.com/squeue.html#OPT_Format
    """
    ended = [*((name, FIELD) for name in fields[:-1]), (fields[-1], end)]
    return ",".join(f"{name}{after}" if ":" in name else f"{name}:{after}" for name, after in ended)


def records(output: bytes, end: str, program: str) -> list[str]:
    """Return the records. Raises NodeError where the output stops in the middle of one."""
    text = output.decode("utf-8", "replace")
    if text and not text.endswith(f"{end}\n"):
        raise NodeError(f"{program} printed {text[-60:]!a} at the end, which is not what it was asked for")
    return text.split(f"{end}\n")[:-1]


def fields_of(record: str, count: int) -> list[str] | None:
    """Return the fields of a record, the last one with whatever is in it; None where there are too few."""
    fields = record.split(FIELD, count - 1)
    return fields if len(fields) == count else None
