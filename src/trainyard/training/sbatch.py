"""A run as a job of Slurm: flags and settings, each with its reason, and one call of a script that does the work.

No shell is made here: what varies stands in #SBATCH lines and in quoted assignments.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import join, quote

from trainyard.launch.launch import Launch
from trainyard.spec.cluster import Spec
from trainyard.training.job import (
    launch_of_run,
    processes_on_node,
    programs,
    reasons,
    run_folder,
    stop_time,
    variables,
    words_of,
)
from trainyard.training.run import Run

_ASSETS = Path(__file__).with_name("assets")
# Slurm runs a copy of the script: the others lie where it was submitted.
_FILES = "${SLURM_SUBMIT_DIR:?submit this with sbatch, in its own folder}"
_HEALTH_SERVICE = "health_service.py"
_SCRIPTS = ("run-training.sh", "start-node.sh", "write-stacks.sh")


def sbatch_name(run: Run) -> str:
    """Return what the batch script is called."""
    return f"{run.name}.sbatch"


def slurm_files(run: Run, spec: Spec, *, expedites: bool = False) -> dict[str, str]:
    """Return the batch script of a run and what it calls, text by name."""
    scripts = {name: (_ASSETS / name).read_text(encoding="utf-8") for name in _SCRIPTS}
    more = (_HEALTH_SERVICE,) if run.program.launcher == "ft_launcher" else ()
    return {sbatch_name(run): sbatch_text(run, spec, expedites=expedites), **scripts, **programs(run, *more)}


def sbatch_text(run: Run, spec: Spec, *, expedites: bool) -> str:
    """Return the batch script; ``expedites`` says that Slurm there allows restarts before all other jobs."""
    launch = launch_of_run(run, spec)
    lines = ["#!/usr/bin/env bash", *_flags(run, launch, expedites=expedites), "set -euo pipefail", ""]
    for name, value, why in _settings(run, spec, launch):
        lines += [f"# {why}", f"export {name}={value}"]
    call = 'exec bash "$TRAINYARD_FILES/run-training.sh"'
    words = words_of(run, "$TRAINYARD_FILES")
    first, rest = (f'"{words[0]}"', words[1:]) if run.program.template else ("", words)
    return "\n".join([*lines, "", " ".join(part for part in (call, first, join(rest)) if part), ""])


def _flags(run: Run, launch: Launch, *, expedites: bool) -> Iterator[str]:
    groups = len(list(launch.nodes.queue.compute_resources or ())) > 1
    gpus = launch.instance.accelerators if launch.instance.accelerator == "nvidia" else None
    before_s = round(run.restarts.before_end_min * 60)
    flags: list[tuple[str, str]] = [
        (f"job-name={run.name}", "The name by which status, logs and metrics know it."),
        (f"partition={launch.queue_name}", "The queue of the spec."),
        *([(f"constraint={launch.nodes.name}", "Of the kinds of nodes in this queue, one.")] if groups else []),
        (f"nodes={run.nodes}", "The nodes it trains on. Spare ones stay in the queue, for a restart."),
        ("exclusive", "Whole nodes: another job would take a share of the network and of the memory."),
        ("ntasks-per-node=1", "One launcher a node, which starts the ranks."),
        *([(f"gpus-per-node={gpus}", "All GPUs of a node.")] if gpus else []),
        (f"time={_slurm_time(run.time_limit_h)}", "Of one start. A job without a limit holds its nodes when it hangs."),
        (f"signal=B:USR1@{before_s}", "So many seconds before, the script tells the program to write a checkpoint."),
        _requeue(run, expedites=expedites),
        ("open-mode=append", "What was written before a restart stays."),
        ("output=%x_%j.out", "One file for all starts, beside this script."),
    ]  # fmt: skip
    for flag, why in flags:
        yield f"# {why}"
        yield f"#SBATCH --{flag}"


def _requeue(run: Run, *, expedites: bool) -> tuple[str, str]:
    if run.restarts.most == 0:
        return "no-requeue", "The run is not started again."
    if expedites:
        why = "After a node has failed it is started again at once, before all other jobs:"
        return "requeue=expedite", f"{why} https://slurm.schedmd.com/sbatch.html#OPT_requeue"
    why = "After a node has failed Slurm starts it again: https://slurm.schedmd.com/sbatch.html#OPT_requeue"
    return "requeue", why


def _slurm_time(hours: float) -> str:
    minutes = max(round(hours * 60), 1)
    return f"{minutes // 1440}-{minutes % 1440 // 60:02d}:{minutes % 60:02d}:00"


def _settings(run: Run, spec: Spec, launch: Launch) -> Iterator[tuple[str, str, str]]:
    """Yield names, values as the shell reads them, and reasons."""
    stop, program = stop_time(run), run.program
    yield "TRAINYARD_FILES", f'"{_FILES}"', "Where this script and those beside it lie, for all nodes to see."
    yield "TRAINYARD_RUN_FOLDER", quote(run_folder(run)), "Checkpoints and progress, for all nodes to see."
    yield "TRAINYARD_RESTARTS", str(run.restarts.most), "How often it is started again at most."
    why = "Without a line of progress for so many seconds it hangs, and is started again."
    yield "TRAINYARD_HANG_S", str(round(run.restarts.hang_min * 60)), why
    why = "Unix time at which the program is told to end: the instances go 30 minutes before the end of their block."
    yield (
        "TRAINYARD_ENDS_AT",
        "" if stop is None else str(stop),
        "There is no block that ends." if stop is None else why,
    )
    yield "TRAINYARD_KIND", "script" if program.script else program.launcher, "How each node starts the program."
    yield "TRAINYARD_PYTHON", quote(program.python), "The interpreter that has torch."
    yield "TRAINYARD_FOLDER", quote(program.folder or ""), "Where the program is run; where this is empty, here."
    yield "TRAINYARD_IMAGE", quote(run.container or ""), "The image that Pyxis starts; where this is empty, none."
    shared = dict.fromkeys(("/home", *(file_system.mount for file_system in spec.file_systems)))
    mounts = ",".join(f"{mount}:{mount}" for mount in shared)
    yield "TRAINYARD_MOUNTS", quote(mounts), "What a container sees of the node."
    yield "GPUS_PER_NODE", str(processes_on_node(run, launch)), "Ranks on a node."
    why_of = reasons(launch)
    for name, value in variables(run, launch).items():
        yield name, quote(value), "As the run says." if name in run.environment else why_of[name]
