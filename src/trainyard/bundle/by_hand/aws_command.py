"""Writes one command of the AWS command line for a README, every word of it quoted for the shell."""

from __future__ import annotations

import json
import re
import shlex


def aws(region: str, command: str, *arguments: str) -> str:
    """Return a command line. A word that holds a variable such as $VPC_ID is quoted so that the shell fills it in."""
    words = ["aws", *command.split(), "--region", region, *arguments]
    return " ".join(_quoted(word) for word in words)


def assignment(variable: str, command: str) -> str:
    """Return the line that keeps what a command prints in a variable."""
    return f"{variable}=$({command})"


def document(value: object) -> str:
    """Return a policy document as one word."""
    return json.dumps(value)


def shell_name(output: str) -> str:
    """Return the shell variable for a stack output, such as PRIMARY_PRIVATE_SUBNET."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", output.replace("FSx", "Fsx"))
    return "_".join(word.upper() for word in words)


def _quoted(word: str) -> str:
    # Only our own words hold a variable: names, zones and ranges of a spec cannot, and a bucket's path is quoted apart.
    parts = re.split(r"(\$[A-Z][A-Z0-9_]+\b)", word)
    if len(parts) == 1:
        return shlex.quote(word)
    return "".join(f'"{part}"' if part.startswith("$") else shlex.quote(part) if part else "" for part in parts)
