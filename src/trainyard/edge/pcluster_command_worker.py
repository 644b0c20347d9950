"""Runs commands of ParallelCluster, each in a process of its own that has imported everything already.

Run by the Python of its environment, never imported by trainyard. Each line of standard input is a JSON list of
arguments, as after ``pcluster`` on a command line; each line of standard output is ``{"status": 0, "output": "…"}``.
The function that the console script ``pcluster`` calls gets a forked copy of this process, so that no command sees what
an earlier one left behind, and importing, which takes 1 to 3 seconds, happens once, as does reading the half megabyte
of YAML that says which commands there are, which takes most of another second. An empty list makes a copy that
imports the CDK ahead of the next command that synthesises a template, which takes 4 seconds more. Python 3.9 syntax.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import runpy
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Optional

_AT_ONCE = 65536
_SYNTHESISING = ("create-cluster", "update-cluster")
# Commands that are ours: programs beside this one that use what it has imported.
_OWN = {"classify-update": "pcluster_update_worker.py"}


class Copy(NamedTuple):
    """A copy of this process that waits for its arguments."""

    process: int
    arguments: int
    """Where they are written."""
    output: int
    """Where what it prints is read."""


def main() -> None:
    """Answer requests until standard input ends; a command that is running then is stopped."""
    requests = sys.stdin.fileno()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what imports print is no answer
    command = _imported()
    _write(answers, {"ready": True})
    ahead: Optional[Copy] = None  # noqa: UP045 - Python 3.9
    while (line := _line(requests)) is not None:
        arguments = json.loads(line)
        if not arguments:
            ahead = ahead or fork_worker(command, _import_cdk)
        elif ahead and arguments[0] in _SYNTHESISING and "--dryrun" not in arguments:
            copy = ahead
            ahead = None
            _write(answers, run(copy, arguments, requests))
        else:
            _write(answers, run(fork_worker(command), arguments, requests))


def fork_worker(command: Callable[[], object], first: Callable[[], object] = lambda: None) -> Copy:
    """Copy this process; the copy does something first and then waits for the arguments of a command."""
    arguments_end, arguments = os.pipe()
    output, output_end = os.pipe()
    child = os.fork()
    if not child:
        os.close(arguments)
        os.close(output)
        _become(command, first, arguments_end, output_end)
    os.close(arguments_end)
    os.close(output_end)
    return Copy(child, arguments, output)


def run(copy: Copy, arguments: list[str], requests: int) -> dict[str, object]:
    """Let a copy run a command; return its status and output. Stop it where nobody waits for the answer any more."""
    with contextlib.suppress(BrokenPipeError):  # it has ended already, and its status says how
        _write(copy.arguments, arguments)
    os.close(copy.arguments)
    printed = b""
    while True:
        readable, _, _ = select.select([copy.output, requests], [], [])
        if copy.output in readable:
            part = os.read(copy.output, _AT_ONCE)
            if not part:
                break
            printed += part
        elif not os.read(requests, 1):  # nothing is asked before the answer, so that this is the end
            os.kill(copy.process, signal.SIGKILL)
            os.waitpid(copy.process, 0)
            sys.exit(0)
    os.close(copy.output)
    _, status = os.waitpid(copy.process, 0)
    return {"status": os.waitstatus_to_exitcode(status), "output": printed.decode("utf-8", "replace")}


def _imported() -> Callable[[], object]:
    """Import pcluster, let commands share its specification, and return what its console script calls.

    Each command reads the specification anew by package_spec of pcluster/cli/model.py.
    """
    from pcluster.cli import model  # type: ignore[import-not-found]  # noqa: PLC0415 - it may print
    from pcluster.cli.entrypoint import main  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    model.package_spec = functools.cache(model.package_spec)
    model.package_spec()
    gc.freeze()  # copies need not look at what is there, nor so copy it
    command: Callable[[], object] = main
    return command


def _import_cdk() -> None:
    """Import what pcluster imports itself before it synthesises: pcluster/templates/import_cdk.py."""
    from pcluster.templates.import_cdk import import_cdk  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    import_cdk()


def _become(command: Callable[[], object], first: Callable[[], object], arguments: int, output: int) -> None:
    """Be the console script: the same function, arguments, output and exit status. Does not return."""
    with open(os.devnull) as nothing:  # noqa: PTH123 - a descriptor is wanted
        os.dup2(nothing.fileno(), 0)
    status = 1
    try:
        first()
        line = _line(arguments)
        if line is not None:
            os.close(arguments)
            os.dup2(output, 1)
            os.close(output)
            sys.argv = ["pcluster", *json.loads(line)]
            own = _OWN.get(sys.argv[1])
            runpy.run_path(str(Path(__file__).with_name(own)), run_name="__main__") if own else command()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):  # Python would write it to the standard error, where nobody reads it
            print(end.code)  # noqa: T201 - it is the answer
    except BaseException:  # noqa: BLE001 - it must not go on as a second worker
        sys.excepthook(*sys.exc_info())
    finally:
        sys.exit(status)


def _line(descriptor: int) -> Optional[bytes]:  # noqa: UP045 - Python 3.9
    """Return the next line, None at the end. Read byte by byte: nothing may be buffered when the process is copied."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(descriptor, 1)
        if not part:
            return None
        line += part
    return line


def _write(descriptor: int, answer: Any) -> None:
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    main()
