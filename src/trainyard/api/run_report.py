"""What training runs were worth: their jobs, progress and checkpoints, read and accounted for."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trainyard.catalog.instances import find
from trainyard.catalog.prices import instance_hour
from trainyard.counts import count_text
from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError
from trainyard.training.ledger.attempt import Attempt, Session
from trainyard.training.ledger.gpu_activity import GpuActivity
from trainyard.training.ledger.job_records import JobRecords, job_records
from trainyard.training.ledger.kept_pods import FILE as KEPT_PODS
from trainyard.training.ledger.ledger import Checkpoint, ledger_of, outside_gpu_ms
from trainyard.training.ledger.node_records import node_records
from trainyard.training.ledger.progress_lines import sessions_of
from trainyard.training.ledger.report_metrics import report_metrics
from trainyard.training.ledger.report_page import report_page
from trainyard.training.ledger.report_text import report_text
from trainyard.training.ledger.report_values import report_values
from trainyard.training.run_file import RunFile, read_run
from trainyard.training.run_submission import results_folder
from trainyard.training.stragglers.flight_recorder import MOST_BYTES, RankDump, flight_values, rank_dump
from trainyard.training.stragglers.rank_times import TAIL_BYTES, places_of, rank_times
from trainyard.training.stragglers.verdict import straggler_values
from trainyard.training.utilisation import utilisation

__all__ = ["price_of", "report_run", "report_text", "write_metrics", "write_page"]

# sacct --json has about 10 KB for a start of a job.
_MOST_BYTES = 1_000_000_000
_RANK = re.compile(r"rank-([0-9]{1,9})\.jsonl\Z")
# PyTorch appends the rank to what the user names, nccl_trace_rank_3; JSON is written by the user's own program.
_DUMP = re.compile(r"([0-9]{1,7})(?:\.json|\.pkl|\.pickle)?\Z")
_CHECKPOINT = re.compile(r"step-([0-9]{1,15})(\.partial)?\Z")


def report_run(  # noqa: PLR0913  every source is its own
    run: str | None = None,
    *,
    jobs: str | None = None,
    progress: Sequence[Path] = (),
    checkpoints: Sequence[Path] = (),
    nodes: Sequence[str] = (),
    flight_recorder: Path | None = None,
    prometheus: str | None = None,
    region: str | None = None,
    profile: str | None = None,
    usd_per_gpu_hour: float | None = None,
    now_s: float | None = None,
) -> dict[str, Any]:
    """Return the values of the report on a run, or on all runs that ``jobs`` tells of.

    Without ``jobs``, what `run watch` has kept of the run's pods here is taken. ``nodes`` are files of what
    `trainyard nodes` printed as JSON of their cluster, ``flight_recorder`` is a folder of PyTorch's dumps of the newest
    run, whose names end with the rank. The Prometheus at an address is asked what GPUs did in starts
    of which no line of progress tells: of the cluster of the run, without one of the only one that it has;
    ``region`` and ``profile`` are for Amazon's.

    Raises InputError where there is nothing to account for, FindingsError where the file of the run cannot be read,
    TrainyardError where ``prometheus`` does not answer.
    """
    file = None if run is None else read_run(run)
    gpus_a_node, price, source = price_of(file)
    if usd_per_gpu_hour is not None:
        price, source = usd_per_gpu_hour, "as it was given"
    folders = [*progress, *_own_folders(file, "progress", progress)]
    kept = [*checkpoints, *_own_folders(file, "checkpoints", checkpoints)]
    jobs = jobs or _kept_jobs(file)
    records = JobRecords((), ())
    now_ms = round(1000 * (time.time() if now_s is None else now_s))
    if jobs is not None:
        records = job_records(_text(jobs), jobs, now_ms, gpus_a_node)
    paid = node_records([(_text(place), place) for place in nodes], now_ms)
    sessions = [(folder, session) for folder in folders for session in _sessions(folder)]
    by_run = _by_run(records.attempts, file)
    if not by_run and not sessions:
        hint = "give --jobs with what sacct printed, and --progress with the folder of the lines of the run"
        raise InputError("there is no start of a run and no progress to account for", hint=hint)
    notes = [*records.notes, *paid.notes]
    ledgers = []
    activity = None if prometheus is None else _activity(prometheus, region, profile, file)
    for name, attempts in (by_run or {file.run.name if file else folders[0].parent.name: []}).items():
        is_only = len(by_run) <= 1  # of several runs, folders say by their names whose they are
        told = [session for folder, session in sessions if is_only or name in (folder.name, folder.parent.name)]
        own = [folder for folder in kept if is_only or name in (folder.name, folder.parent.name)]
        entries = [entry for folder in own for entry in _entries(folder)]
        # What nodes cost without a run is told once, for all runs that they have had.
        ledger = ledger_of(attempts, told, entries, paid.spans, None if activity is None else activity.spans)
        ledgers.append(ledger._replace(run=name, outside_gpu_ms={}))
    notes += [] if activity is None else activity.notes()
    if price is None:
        notes.append("no price is known: give --usd-per-gpu-hour, or a run whose instance type has a list price")
    outside = outside_gpu_ms(records.attempts, paid.spans) if nodes else None
    values = report_values(ledgers, price, source, notes, outside)
    _add_stragglers(values["runs"], folders)
    if flight_recorder is not None:
        _add_flight(values["runs"], flight_recorder, folders)
    if file is not None:
        group = file.group
        facts = None if group is None else find(group.instance_type)
        gpu = facts.accelerators.model if facts is not None and facts.accelerators is not None else None
        for told, ledger in zip(values["runs"], ledgers, strict=True):
            told["utilisation"] = utilisation(ledger, gpu, file.run.model)._asdict()
    return values


def _activity(prometheus: str, region: str | None, profile: str | None, file: RunFile | None) -> GpuActivity:
    """Return what tells what GPUs did. Raises TrainyardError where nobody answers: later on, that is a note."""
    # boto3, which it needs for Amazon's, takes longer to import than most reports to make.
    from trainyard.operate.monitoring.viewer.metrics_source import keeper_at  # noqa: PLC0415

    keeper = keeper_at(prometheus, region, profile)
    keeper.expect_ready()
    return GpuActivity(keeper, None if file is None else file.spec.name)


def _text(place: str) -> str:
    content = read_small_file(Path(place), _MOST_BYTES)
    if content is None:
        raise InputError(f"{place} does not exist", where=place)
    return content.decode(errors="replace")


def _add_stragglers(runs: Sequence[dict[str, Any]], folders: Sequence[Path]) -> None:
    for told in runs:
        for folder in folders:
            if len(runs) == 1 or told["run"] in (folder.name, folder.parent.name):
                times = rank_times(_ends(folder))
                told["stragglers"] = None if times is None else straggler_values(times)


def _add_flight(runs: Sequence[dict[str, Any]], dumped: Path, folders: Sequence[Path]) -> None:
    """Add what dumps say to the run, or of several to the one after which a folder around them is named."""
    own = [told for told in runs if len(runs) == 1 or told["run"] in dumped.resolve().parts]
    if len(own) != 1:
        hint = "give RUN, or --jobs of one run only"
        raise InputError("nothing says of which run the dumps are", where=str(dumped), hint=hint)
    dumps: dict[int, RankDump] = {}
    problems = 0
    for place in sorted(_files(dumped), key=_written):  # of two of a rank, the newer counts
        match = _DUMP.search(place.name)
        if match is None or not place.is_file():
            continue
        try:
            with place.open("rb") as content:
                dumps[int(match[1])] = rank_dump(int(match[1]), content.read(MOST_BYTES))
        except (OSError, ValueError):
            problems += 1
    if not dumps:
        hint = "name the folder of TORCH_FR_DUMP_TEMP_FILE, or of TORCH_NCCL_DEBUG_INFO_TEMP_FILE"
        raise InputError(f"{dumped} has no dump of a flight recorder", where=str(dumped), hint=hint)
    told_by = [folder for folder in folders if len(runs) == 1 or own[0]["run"] in (folder.name, folder.parent.name)]
    places = {rank: place for folder in told_by for rank, place in places_of(_ends(folder)).items()}
    own[0]["flight_recorder"] = flight_values([dumps[rank] for rank in sorted(dumps)], places)
    if problems:
        own[0]["flight_recorder"]["notes"].append(f"{count_text(problems, 'file')} could not be read")


def _written(place: Path) -> float:
    """Return when a file was written; of one that is gone by now, no matter."""
    try:
        return place.lstat().st_mtime
    except OSError:
        return 0.0


def write_page(values: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Write the page. Raises InputError where the file exists and is not to be replaced."""
    write_new_file(file, report_page(values), force=force)


def write_metrics(values: Mapping[str, Any], file: Path) -> None:
    """Write the metrics whole, in place of former ones: whoever reads them reads again and again."""
    write_new_file(file, report_metrics(values), force=True)


def price_of(file: RunFile | None) -> tuple[int | None, float | None, str | None]:
    """Return how many GPUs a node of the run has, what an hour of one costs, and who says so."""
    group = None if file is None else file.group
    facts = None if group is None else find(group.instance_type)
    if file is None or group is None or facts is None or facts.accelerators is None:
        return None, None, None
    price = instance_hour(group.instance_type, file.spec.region)
    gpus = facts.accelerators.count
    if price is None:
        return gpus, None, None
    return gpus, price.usd / gpus, f"list price of {group.instance_type} in {file.spec.region}, {price.source.url}"


def _kept_jobs(file: RunFile | None) -> str | None:
    """Return what `run watch` has kept of the run's pods, where it was called here."""
    kept = None if file is None else results_folder(file.run) / KEPT_PODS
    return None if kept is None or not kept.exists() else str(kept)


def _own_folders(file: RunFile | None, below: str, given: Sequence[Path]) -> Iterator[Path]:
    """Yield the run's own folder where this machine sees it and no other was given."""
    if file is not None and file.run.folder is not None and not given:
        folder = Path(file.run.folder, below)
        if folder.is_dir():
            yield folder


def _by_run(attempts: Sequence[Attempt], file: RunFile | None) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if file is None or attempt.run == file.run.name:
            found.setdefault(attempt.run, []).append(attempt)
    return found


def _sessions(folder: Path) -> list[Session]:
    """Return what the first rank has told: all do their steps together. Raises InputError where there is no rank."""
    try:
        ranks = {int(match[1]): place for place in folder.iterdir() if (match := _RANK.match(place.name))}
        if not ranks:
            raise InputError(
                f"{folder} has no rank-0.jsonl", where=str(folder), hint="name the folder of TRAINYARD_PROGRESS"
            )
        with ranks[min(ranks)].open("rb") as lines:
            return sessions_of(lines)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}", where=str(folder)) from error


def _ends(folder: Path) -> Iterator[list[bytes]]:
    """Yield the first line of each rank and its last ones: a month of all of them would take hours to read."""
    for place in folder.iterdir():
        if _RANK.match(place.name):
            with place.open("rb") as lines:
                first = lines.readline(TAIL_BYTES)
                lines.seek(max(lines.seek(0, 2) - TAIL_BYTES, len(first)))
                yield [first, *lines.read(TAIL_BYTES).splitlines()]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}", where=str(folder)) from error


def _entries(folder: Path) -> Iterator[Checkpoint]:
    """Yield checkpoints of a folder: one of our template is whole when all its files have their sizes."""
    for place in _files(folder):
        match = _CHECKPOINT.match(place.name)
        if match is None:
            continue
        manifest = place / "manifest.json"
        try:
            sizes = json.loads(manifest.read_text(encoding="utf-8"))
            whole = not match[2] and all((place / name).stat().st_size == size for name, size in sizes.items())
            yield Checkpoint(int(match[1]), round(1000 * manifest.stat().st_mtime), whole)
        except (OSError, ValueError, AttributeError, TypeError):
            yield Checkpoint(int(match[1]), 0, is_whole=False)
