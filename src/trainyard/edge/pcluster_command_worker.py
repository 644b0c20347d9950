"""Runs commands of ParallelCluster in copies of a process that has imported everything already.

Run by the Python of its environment, never imported by trainyard. Each line of standard input is a JSON list of
arguments, as after ``pcluster`` on a command line; each line of standard output is ``{"status": 0, "output": "…"}``.
The function that the console script ``pcluster`` calls runs in a forked copy of this process, so that no command sees
what an earlier one left behind, and importing, which takes 1 to 3 seconds, happens once, as does reading the half
megabyte of YAML that says which commands there are, which takes most of another second, and what is told of a call to
AWS in the log, which takes a third of a command. Commands that synthesise a
template share one copy, since each would take 5 seconds of a processor to import the CDK; between them it does what
ParallelCluster's own API does between requests. An empty list makes this copy ahead of them. Python 3.9 syntax.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
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
# What a synthesis leaves in the memory of the CDK's process stays there; so many are followed by a new copy.
_SYNTHESES = 20
# Commands that are ours: programs beside this one that use what it has imported.
_OWN = {"classify-update": "pcluster_update_worker.py"}


class Copy(NamedTuple):
    """A copy of this process that runs the commands it is given, until there are no more."""

    process: int
    arguments: int
    """Where they are written."""
    answers: int
    """Where what became of them is read."""


def main() -> None:
    """Answer requests until standard input ends; a command that is running then is stopped."""
    requests = sys.stdin.fileno()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what imports print is no answer
    command = _imported()
    _write(answers, {"ready": True})
    synthesiser: Optional[Copy] = None  # noqa: UP045 - Python 3.9
    syntheses = 0
    while (line := _line(requests)) is not None:
        arguments = json.loads(line)
        synthesises = not arguments or (arguments[0] in _SYNTHESISING and "--dryrun" not in arguments)
        if synthesises and synthesiser is None:
            synthesiser = fork_worker(command, _import_cdk)
        if not arguments:
            continue
        copy = synthesiser if synthesises and synthesiser else fork_worker(command)
        answer, lives = run(copy, arguments, requests)
        syntheses += synthesises
        is_kept = lives and synthesises and syntheses % _SYNTHESES
        if lives and not is_kept:
            end(copy)
        if synthesises and not is_kept:
            synthesiser = None
        _write(answers, answer)


def fork_worker(command: Callable[[], object], first: Callable[[], object] = lambda: None) -> Copy:
    """Copy this process; the copy does something first and then waits for the arguments of commands."""
    arguments_end, arguments = os.pipe()
    answers, answers_end = os.pipe()
    child = os.fork()
    if not child:
        os.close(arguments)
        os.close(answers)
        _become(command, first, arguments_end, answers_end)
    os.close(arguments_end)
    os.close(answers_end)
    return Copy(child, arguments, answers)


def run(copy: Copy, arguments: list[str], requests: int) -> tuple[dict[str, object], bool]:
    """Let a copy run a command; return its answer, and whether the copy lives on.

    It is stopped where nobody waits for the answer any more.
    """
    with contextlib.suppress(BrokenPipeError):  # it has ended already, and its status says how
        _write(copy.arguments, arguments)
    printed = b""
    while not printed.endswith(b"\n"):
        readable, _, _ = select.select([copy.answers, requests], [], [])
        if copy.answers in readable:
            part = os.read(copy.answers, _AT_ONCE)
            if not part:
                return {"status": end(copy), "output": ""}, False
            printed += part
        elif not os.read(requests, 1):  # nothing is asked before the answer, so that this is the end
            os.kill(copy.process, signal.SIGKILL)
            os.waitpid(copy.process, 0)
            sys.exit(0)
    answer: dict[str, object] = json.loads(printed)
    return answer, True


def end(copy: Copy) -> int:
    """Let a copy end that runs nothing; return its exit status."""
    os.close(copy.arguments)
    os.close(copy.answers)
    _, status = os.waitpid(copy.process, 0)
    return os.waitstatus_to_exitcode(status)


def _imported() -> Callable[[], object]:
    """Import pcluster, let commands share its specification, and return what its console script calls.

    Each command reads the specification anew by package_spec of pcluster/cli/model.py, and makes a session of boto3 for
    each line of its log about a call (_log_boto3_calls of pcluster/aws/common.py) to learn of the same region.
    """
    import boto3.session  # type: ignore[import-untyped]  # noqa: PLC0415 - ParallelCluster's own
    from pcluster.cli import model  # type: ignore[import-not-found]  # noqa: PLC0415 - it may print
    from pcluster.cli.entrypoint import main  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    model.package_spec = functools.cache(model.package_spec)
    model.package_spec()
    boto3.session.Session = functools.cache(boto3.session.Session)  # clients are made by boto3.Session, another name
    gc.freeze()  # copies need not look at what is there, nor so copy it
    command: Callable[[], object] = main
    return command


def _import_cdk() -> None:
    """Import what pcluster imports itself before it synthesises: pcluster/templates/import_cdk.py.

    It does so in a thread that it never waits for, and where the machine is slow, its own use of the same modules meets
    that half-way and fails: "cannot import name 'ClusterCdkStack'". What goes wrong here, goes wrong there with a word.
    """
    with contextlib.suppress(Exception):
        from pcluster.templates.import_cdk import import_cdk  # type: ignore[import-not-found]  # noqa: PLC0415

        import_cdk()


def _become(command: Callable[[], object], first: Callable[[], object], arguments: int, answers: int) -> None:
    """Be the console script for one command after the other. Does not return."""
    status = 1
    try:
        with open(os.devnull) as nothing:  # noqa: PTH123 - a descriptor is wanted
            os.dup2(nothing.fileno(), 0)
        first()
        is_first = True
        while (line := _line(arguments)) is not None:
            if not is_first:
                _forget()
            is_first = False
            _write(answers, _answer(command, json.loads(line)))
        status = 0
    except BaseException:  # noqa: BLE001 - it must not go on as a second worker
        sys.excepthook(*sys.exc_info())
    finally:
        sys.exit(status)  # which lets the CDK end its process


def _answer(command: Callable[[], object], arguments: list[str]) -> dict[str, object]:
    """Call what the console script calls, with the same arguments; return its exit status and what it printed."""
    output = io.StringIO()
    sys.argv = ["pcluster", *arguments]
    own = _OWN.get(arguments[0])
    status = 0
    with contextlib.redirect_stdout(output):
        try:
            runpy.run_path(str(Path(__file__).with_name(own)), run_name="__main__") if own else command()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
            if isinstance(ended.code, str):  # Python would write it to the standard error, where nobody reads it
                print(ended.code)  # noqa: T201 - it is the answer
        except Exception:  # noqa: BLE001 - as Python would, it ends the command with a status of 1
            sys.excepthook(*sys.exc_info())
            status = 1
    return {"status": status, "output": output.getvalue()}


def _forget() -> None:
    """Forget what a command has asked AWS, as before_request in pcluster/api/flask_app.py, and its credentials."""
    import boto3.session  # noqa: PLC0415 - as above
    from pcluster.aws.aws_api import AWSApi  # type: ignore[import-not-found]  # noqa: PLC0415 - as above
    from pcluster.aws.common import Cache  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    Cache.clear_all()
    AWSApi.reset()
    boto3.setup_default_session()
    boto3.session.Session.cache_clear()


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
