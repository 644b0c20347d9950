"""The process of which processes of trainyard in tests are forks; see tests/program.py.

Each request comes with a socket, on which the id of the fork and then its exit status are told, and with its streams.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import sys
import time
from typing import Any

import boto3  # type: ignore[import-untyped]  # its stubs are a package for each service

import trainyard.__main__ as program
from tests import aws_models

MOST_BYTES = 1 << 18
_PACKAGES = ("trainyard.cli", "trainyard.api")
_SERVICES = ("sts", "s3", "cloudformation", "ec2", "iam", "ssm", "logs", "dynamodb", "fsx")


def main() -> None:
    """Return in each fork, as its start; and exit in the process itself once nobody asks any more."""
    for package in _PACKAGES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    aws_models.read_once()
    for service in _SERVICES:
        boto3.Session().client(service, "us-east-2")
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while True:
            request, files, _, _ = socket.recv_fds(requests, MOST_BYTES, 4)
            if not request:
                sys.exit()
            if os.fork() == 0:
                break
            for file in files:
                os.close(file)
            while _has_reaped():
                pass
    _supervise(socket.socket(fileno=files[0]), files[1:])
    _begin(json.loads(request), files[1:])


def _has_reaped() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _supervise(reply: socket.socket, streams: list[int]) -> None:
    """Return in a fork of this process, which tells how the fork ends."""
    with reply:
        process = os.fork()
        if process == 0:
            return
        for stream in streams:
            os.close(stream)
        reply.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        try:
            reply.send(str(os.waitstatus_to_exitcode(status)).encode())
        finally:
            os._exit(0)  # whoever asked may be gone


def _begin(request: dict[str, Any], streams: list[int]) -> None:
    """Become what ``python -m trainyard`` is after its imports."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if request["leads_group"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = [str(program.__file__), *request["arguments"]]
    # As Python opens them.
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")))
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w")), errors="backslashreplace", line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # As in a terminal, also where tests run by nohup.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


if __name__ == "__main__":
    main()
    sys.exit(program.main())
