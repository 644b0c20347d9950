"""Names in archives of logs, and nodes that logs name: whoever made them chose them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.each_case import each_case
from tests.forged.forgeries import FORGERIES, MARK, assert_quoted
from trainyard.diagnose.file_diagnosis import diagnose_files
from trainyard.diagnose.line_filter import LineFilter
from trainyard.errors import InputError

# What a name in an archive can be, of a length that a file system takes.
NAMES = {name: text[:200] for name, text in FORGERIES.items() if name != "surrogate"}


def written(folder: Path, name: str, content: bytes | None) -> Path:
    """Return an archive with one member; without content it is a link."""
    member = tarfile.TarInfo(name)
    if content is None:
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    else:
        member.size = len(content)
    with tarfile.open(file := folder / "logs.tar", "w") as archive:
        archive.addfile(member, io.BytesIO(content or b""))
    return file


@each_case("name", NAMES.values(), ids=NAMES)
def test_a_name_in_an_archive_of_which_nothing_can_be_read(name: str, tmp_path_factory: pytest.TempPathFactory):
    with pytest.raises(InputError) as refused:
        diagnose_files(str(written(tmp_path_factory.mktemp("logs"), name, None)))
    assert MARK in refused.value.problem
    assert_quoted(refused.value.problem)


@each_case("name", NAMES.values(), ids=NAMES)
def test_nodes_that_are_listed_where_another_was_asked_for(name: str, tmp_path_factory: pytest.TempPathFactory):
    line = b"2026-11-22T10:00:00Z gpu-st-1 kernel: NVRM: Xid (PCI:0000:10:1c): 79, GPU has fallen off the bus.\n"
    content = line + f"2026-11-22T10:00:01Z {name} kernel: out of memory\n".encode()
    file = written(tmp_path_factory.mktemp("logs"), f"{name[:100]}/syslog", content)
    with pytest.raises(InputError) as refused:
        diagnose_files(str(file), LineFilter(nodes=("gpu-st-9",)))
    assert_quoted(refused.value.problem)
