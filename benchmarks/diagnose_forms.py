"""Prints how many examples of signatures `diagnose` still finds when logs come in other forms than programs write.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import html
import json
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

from trainyard.api.diagnose import Diagnosis, diagnose_files
from trainyard.diagnose.cause import signatures

_TIME = "1780000000000000"


def main() -> None:
    """Print a table of forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=5, help="take every so-many-th signature")
    parser.add_argument("--lost", action="store_true", help="print what is not found")
    arguments = parser.parse_args()
    every = arguments.every
    examples = [
        (cause.id, signature.matches[0])
        for signature, cause in list(signatures().values())[::every]
        if not signature.logs
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, form in _FORMS.items():
            lost = [line for cause, line in examples if not _is_found(Path(folder) / "log", cause, form(line))]
            print(f"| {name} | {len(examples) - len(lost)} of {len(examples)} |", flush=True)
            if arguments.lost:
                print("".join(f"{form(line)}\n\n" for line in lost))


def _is_found(log: Path, cause: str, text: str) -> bool:
    log.write_text(f"{text}\n")
    return cause in _ids(diagnose_files(str(log)))


def _ids(diagnosis: Diagnosis) -> set[str]:
    followed = [consequence for cause in diagnosis.causes for consequence in cause.consequences]
    return {one.cause.id for one in (*diagnosis.causes, *followed, *diagnosis.harmless)}


def _split_by_colour(line: str) -> str:
    words = line.split(" ")
    middle = words[len(words) // 2]
    half = len(middle) // 2
    words[len(words) // 2] = f"{middle[:half]}\x1b[31m{middle[half:]}\x1b[0m"
    return " ".join(words)


def _of_journal(line: str) -> str:
    return json.dumps({"__REALTIME_TIMESTAMP": _TIME, "_HOSTNAME": "node", "MESSAGE": list(line.encode())})


_BEFORE = "2026-05-06 10:00:00 The job has begun on two nodes and reads its data from a file system that they share."
_BEHIND = "2026-05-06 10:00:09 The job has ended, and whatever it has written lies beside what it has read before it."
_FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "a value of JSON": lambda line: json.dumps({"log": f"{line}\n", "stream": "stderr"}),
    "a value of JSON in a value of JSON": lambda line: json.dumps({"event": json.dumps({"log": line})}),
    "HTML": html.escape,
    "a colour within a word": _split_by_colour,
    "an array of bytes of the journal": _of_journal,
    "a quotation of an e-mail": lambda line: f"> {line}",
    **{
        f"broken between words at {width} characters": lambda line, width=width: "\n".join(textwrap.wrap(line, width))
        for width in (72, 80, 100, 132)
    },
    **{
        f"broken by a terminal of {width} columns": lambda line, width=width: "\n".join(
            line[at : at + width] for at in range(0, len(line), width)
        )
        for width in (80, 120, 160)
    },
    "broken at 76 characters in a quotation": lambda line: "".join(f"> {part}\n" for part in textwrap.wrap(line, 76)),
    "broken at 100 characters with an indent": lambda line: "\n".join(
        textwrap.wrap(line, 100, subsequent_indent="      ")
    ),
    "broken at 80 characters among other lines": lambda line: "\n".join(
        part for one in (_BEFORE, line, _BEHIND) for part in textwrap.wrap(one, 80)
    ),
}


if __name__ == "__main__":
    main()
