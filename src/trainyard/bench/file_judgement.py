"""The verdicts on runs in files, held against each other and against earlier ones."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from trainyard.bench.case import case_of
from trainyard.bench.judge import Judgement, judge, judge_together
from trainyard.bench.machine import by_accelerator, machine
from trainyard.bench.nccl_json import is_test_json, parse_json, parse_json_within
from trainyard.bench.nccl_log import collective_in, parse_log
from trainyard.bench.result import Run
from trainyard.catalog import instances
from trainyard.counts import count_text
from trainyard.edge.blocks import blocks_of
from trainyard.errors import InputError

# The JSON of a test with every iteration of 1,024 ranks; the whole file is held in memory.
_MOST_JSON_BYTES = 256 * 2**20
_BEGINNING_BYTES = 400
_MOST_FILES = 20_000


class FileJudgement(NamedTuple):
    """A run of a file, judged."""

    file: str
    judgement: Judgement


def judge_files(
    files: tuple[str, ...],
    *,
    instance_type: str | None = None,
    nodes: int | None = None,
    baseline: str | None = None,
    without: list[InputError] | None = None,
) -> Iterator[FileJudgement]:
    """Yield the verdict on every run of files, folders, or standard input for ``-``.

    All runs are judged together: several of them can show which node is slow.
    ``baseline`` is a file or folder of earlier runs. Each run is compared with the one of the same collective and
    number of ranks, the last where there are several; where ranks are not known, with the only one of its collective.
    ``without`` takes what is wrong with files that have no run; without it the first of them ends the judging.

    Raises InputError where a file has no run, or what is said of it cannot be so.
    """
    if instance_type is not None:
        _refuse_unknown(instance_type)
    names, judgements = [], []
    earlier = [run for _, run in read_runs((baseline,))] if baseline is not None else []
    for file, run in read_runs(files, without):
        before = _earlier(run, earlier)
        if baseline is not None and before is None:
            ranks = "an unknown number of" if run.ranks is None else run.ranks
            raise InputError(
                f"no run of {run.collective or 'an unknown collective'} with {ranks} ranks to compare {file} with",
                where=baseline,
                hint="compare tests of the same collective and the same number of ranks",
            )
        names.append(file)
        judgements.append(judge(case_of(run, instance_type, nodes), before))
    yield from map(FileJudgement, names, judge_together(judgements))


def _refuse_unknown(instance_type: str) -> None:
    if instances.find(instance_type) or machine(instance_type) or by_accelerator(instance_type):
        return
    near = get_close_matches(instance_type, instances.names(), 3, 0.6)
    hint = f"near: {', '.join(near)}" if near else "`trainyard instances` lists those that are known"
    raise InputError(f"{instance_type} is not known", where="--instance-type", hint=hint)


def _earlier(run: Run, earlier: list[Run]) -> Run | None:
    """Return the last earlier run of the same collective and ranks, or the only one that may be."""
    alike = [before for before in earlier if before.collective == run.collective]
    same = [before for before in alike if before.ranks == run.ranks]
    if same:
        return same[-1]
    unclear = len(alike) == 1 and None in (run.ranks, alike[0].ranks)
    return alike[0] if unclear else None


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
            yield from _of_name(name, without)
        except InputError as error:
            if without is None:
                raise
            without.append(error)


def _of_name(name: str, without: list[InputError] | None) -> list[ReadRun]:
    if name != "-" and Path(name).is_dir():
        return _of_folder(name, without)
    runs = _of_file(name)
    if runs is None:
        raise _no_results(name, "it is empty")
    tests = [run for run in runs if run.is_test]
    if not tests:
        raise _no_results(name, _found_instead(runs))
    return [ReadRun(name, run) for run in tests]


def _of_folder(name: str, without: list[InputError] | None) -> list[ReadRun]:
    files = sorted(path for path in islice(Path(name).rglob("*"), _MOST_FILES) if path.is_file())
    with_runs: list[ReadRun] = []
    for file in files:
        try:
            runs = _of_file(str(file)) or []
        except InputError as error:
            if without is None:
                raise
            without.append(error)
            continue
        # A folder holds scripts and logs too. One of its files counts when it has a table.
        with_runs += [ReadRun(str(file), run) for run in runs if run.rows or run.parameters]
    if not with_runs:
        looked = count_text(len(files), "file")
        raise _no_results(name, f"none of its {looked} holds a table of nccl-tests or nccom-test")
    return with_runs


def _of_file(name: str) -> list[Run] | None:
    """Return the runs of a file, None where it is empty."""
    with blocks_of(name) as raw:
        blocks = _as_utf_8(raw)
        first = next(blocks, b"")
        if not first:
            return None
        if is_test_json(first[:_BEGINNING_BYTES]):
            runs = _json(name, first, blocks)
        elif first.startswith(b"{") and b"\n" not in first.rstrip():
            runs = _one_record(name, first, blocks)
        else:
            runs = parse_log(chain((first,), blocks))
            if any(run.unread for run in runs) and not any(run.rows for run in runs):
                runs = _json_within(name) or runs
    for run in runs:
        run.collective = run.collective or collective_in(Path(name).name)
    return runs


def _as_utf_8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same text without a mark of its order of bytes: Windows PowerShell writes files in UTF-16.

    https://learn.microsoft.com/en-us/powershell/module/microsoft.powershell.core/about/about_character_encoding
    """
    first = next(blocks, b"")
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from filter(None, chain((first.removeprefix(codecs.BOM_UTF8),), blocks))
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for block in chain((first,), blocks):
        yield decoder.decode(block).encode()


def _one_record(name: str, first: bytes, blocks: Iterator[bytes]) -> list[Run]:
    """Return the runs of a log that is one line of JSON, as CloudWatch's API answers: each of its texts is a line."""
    text = _whole(name, first, blocks)
    try:
        lines = json.dumps(json.loads(text), indent=1)
    except (ValueError, RecursionError):
        return parse_log([text.encode()])
    runs = parse_log([lines.encode()])
    for run in runs:
        run.rows = [row._replace(line=1) for row in run.rows]
        run.failures = [failure._replace(line=1) for failure in run.failures]
    return runs


def _json_within(name: str) -> list[Run]:
    """Return the runs of a log in which the JSON of tests stands; standard input is not read a second time."""
    if name == "-" or Path(name).stat().st_size > _MOST_JSON_BYTES:
        return []
    with blocks_of(name) as raw:
        return parse_json_within(b"".join(_as_utf_8(raw)).decode("utf-8", "replace"))


def _json(name: str, first: bytes, blocks: Iterator[bytes]) -> list[Run]:
    try:
        return parse_json(_whole(name, first, blocks))
    except ValueError as error:
        hint = "give the text output of the test; the JSON of a test that was killed may have no results"
        raise InputError(f"begins as nccl-tests' JSON and cannot be read: {error}", where=name, hint=hint) from error


def _whole(name: str, first: bytes, blocks: Iterator[bytes]) -> str:
    content = bytearray(first)
    for block in blocks:
        content += block
        if len(content) > _MOST_JSON_BYTES:
            raise InputError("the JSON is larger than 256 MiB", where=name, hint="give the text output of the test")
    return content.decode("utf-8", "replace")


def _found_instead(runs: list[Run]) -> str:
    """Return what a log without a test says, in words."""
    facts = [f"{name} {version}" for run in runs for name, version in run.versions.items()]
    facts += [f"network {run.transport.network}" for run in runs if run.transport.network]
    facts += [f"provider {run.transport.provider}" for run in runs if run.transport.provider]
    if not facts:
        return "it holds neither a table of nccl-tests or nccom-test nor a word of NCCL"
    return f"it holds the log of NCCL ({', '.join(dict.fromkeys(facts))}), and no table of nccl-tests"


def _no_results(name: str, why: str) -> InputError:
    hint = "give the standard output of a test, such as all_reduce_perf"
    return InputError(f"no results found: {why}", where="standard input" if name == "-" else name, hint=hint)
