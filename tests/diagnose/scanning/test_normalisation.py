"""However a line was wrapped on its way, what it says is found: bytes of the journal, colours, HTML, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainyard.api.diagnose import diagnose_files

_LINE = "slurmctld: fatal: The moon is full"
_XID = "NVRM: Xid (PCI:0000:a8:00): 79, pid=1, GPU has fallen off the bus."


def found(folder: Path, text: str) -> list[tuple[str, int]]:
    """Return what a log tells of, with the line of its evidence."""
    log = folder / "log"
    log.write_text(text)
    return [(cause.cause.id, cause.evidence[0].line) for cause in diagnose_files(str(log)).causes]


def journal(message: str, indent: int | None = None) -> str:
    """Return an entry of the journal whose message is an array of bytes."""
    entry = {"__REALTIME_TIMESTAMP": "1780480800000000", "_HOSTNAME": "ip-10-0-1-7", "MESSAGE": [*message.encode()]}
    return json.dumps(entry, indent=indent) + "\n"


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("message", [_XID, f"\x1b[31m{_XID}\x1b[0m", f"é {_XID}"])
def test_a_message_of_the_journal_may_be_an_array_of_bytes(tmp_path: Path, message: str, indent: int | None):
    ((cause, _),) = found(tmp_path, journal("all is well", indent) + journal(message, indent))
    assert cause == "gpu-fell-off-bus"


def test_lines_behind_an_array_of_bytes_keep_their_numbers(tmp_path: Path):
    text = journal("all is well", 1)
    assert found(tmp_path, text + f"{_XID}\n") == [("gpu-fell-off-bus", text.count("\n") + 1)]


def test_words_that_colours_split_are_found(tmp_path: Path):
    assert found(tmp_path, "quiet\n\x1b[1mslurmctld:\x1b[0m \x1b[31mfatal\x1b[0m: The moon is full\n") == [
        ("slurm-fatal", 2)
    ]


@pytest.mark.parametrize(("plain", "entity"), [('"', "&quot;"), ('"', "&#34;")])
def test_entities_of_html_are_read_as_characters(tmp_path: Path, plain: str, entity: str):
    line = '{"level": "ERROR", "type": "MoonValidator", "message": "The moon is full."}'
    assert found(tmp_path, f"quiet\n> {line.replace(plain, entity)}\n") == [("cluster-validation-failed", 2)]


def test_what_is_in_no_way_wrapped_is_found_once(tmp_path: Path):
    assert found(tmp_path, f"a & b\n{_LINE}\n") == [("slurm-fatal", 2)]
