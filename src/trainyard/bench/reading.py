"""Results of tests in files: text, JSON, folders of them."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainyard.bench.nccl_json import is_nccl_json, parse_json
from trainyard.bench.nccl_log import collective_in, parse_log
from trainyard.edge.blocks import blocks_of
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.bench.result import Run

# The JSON of a test with every iteration of 1,024 ranks; the whole file is held in memory.
_MOST_JSON_BYTES = 256 * 2**20
_MOST_FILES = 20_000


class ReadRun(NamedTuple):
    """A run, and the file that it was in."""

    file: str
    run: Run


def read_runs(names: tuple[str, ...], without: list[InputError] | None = None) -> Iterator[ReadRun]:
    """Yield the runs of files, of folders, or of standard input for ``-``, in their order.

    ``without`` takes what is wrong with those that have none; without it the first of them ends the reading.

    Raises InputError where a file has none, or cannot be read; of a folder only where none of its files has any.
    """
    for name in names:
        try:
            yield from _of_name(name)
        except InputError as error:
            if without is None:
                raise
            without.append(error)


def _of_name(name: str) -> list[ReadRun]:
    if name != "-" and Path(name).is_dir():
        return _of_folder(name)
    runs = _of_file(name)
    if not runs:
        raise _nothing(name, "it holds neither a table of nccl-tests or nccom-test nor a word of NCCL")
    return [ReadRun(name, run) for run in runs]


def _of_folder(name: str) -> list[ReadRun]:
    files = sorted(one for one in islice(Path(name).rglob("*"), _MOST_FILES) if one.is_file())
    # A folder holds scripts and logs too. One of its files counts when it has a table.
    found = [ReadRun(str(file), run) for file in files for run in _of_file(str(file)) if run.rows or run.parameters]
    if not found:
        looked = f"{len(files)} files" if len(files) != 1 else "1 file"
        raise _nothing(name, f"none of its {looked} holds a table of nccl-tests or nccom-test")
    return found


def _of_file(name: str) -> list[Run]:
    with blocks_of(name) as blocks:
        first = next(blocks, b"")
        if not first:
            return []
        runs = _json(name, first, blocks) if is_nccl_json(first[:200]) else parse_log(chain((first,), blocks))
    for run in runs:
        run.collective = run.collective or collective_in(Path(name).name)
    return runs


def _json(name: str, first: bytes, blocks: Iterator[bytes]) -> list[Run]:
    content = bytearray(first)
    for block in blocks:
        content += block
        if len(content) > _MOST_JSON_BYTES:
            raise InputError("the JSON is larger than 256 MiB", where=name, hint="give the text output of the test")
    try:
        return [parse_json(content.decode("utf-8", "replace"))]
    except (ValueError, KeyError, TypeError) as error:
        hint = "give the text output of the test; the JSON of a test that was killed may have no results"
        raise InputError(f"begins as nccl-tests' JSON and cannot be read: {error}", where=name, hint=hint) from error


def _nothing(name: str, why: str) -> InputError:
    hint = "give the standard output of a test, such as all_reduce_perf"
    return InputError(f"no results found: {why}", where="standard input" if name == "-" else name, hint=hint)
