"""The emulated account behind a socket, with all extensions in place and the seeds planted; and copies of it."""

from __future__ import annotations

import gc
import os
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import make_server

from trainyard.rehearsal.emulated import extensions, faults, head_node, pages
from trainyard.rehearsal.emulated.apis.ec2_capacity import move_clock
from trainyard.rehearsal.emulated.application import Application
from trainyard.rehearsal.emulated.emulated_account import KEY_VARIABLE
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount, let_calls_in
from trainyard.rehearsal.emulated.key_check import KeyCheck
from trainyard.rehearsal.emulated.parent_process import end_with_parent
from trainyard.rehearsal.emulated.seed_account import plant, plant_from_environment

if TYPE_CHECKING:
    from werkzeug.serving import BaseWSGIServer

HOST = "127.0.0.1"
_PORT_DIGITS = 5


class _Quiet(MotoRequestHandler):
    """Logs nothing: bodies and queries of calls may carry secrets."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  # the name of werkzeug's parameter
        pass


def server_at(port: int) -> BaseWSGIServer:
    """Return the server, which listens already. Port 0 stands for a free one."""
    extensions.install()
    application = Application()
    let_calls_in(application)
    plant_from_environment()
    server = _listening(port, application)
    pages.TAKES |= {
        "copy": partial(_copy, server, application),
        "seeds": plant,
        "breakdown": _break_down,
        "clock": move_clock,
    }
    return server


def _listening(port: int, application: Application) -> BaseWSGIServer:
    answering = KeyCheck(application, key) if (key := os.environ.get(KEY_VARIABLE)) else application
    server = make_server(HOST, port, answering, threaded=True, request_handler=_Quiet)
    os.environ["MOTO_PORT"] = str(server.port)  # moto writes it into the URLs that it answers with
    return server


def _break_down(name: str | None) -> None:
    """Let this go wrong from now on, None for nothing, and nodes of ParallelCluster start anew."""
    faults.plant({"breakdown": name})
    head_node.restart_fleets(InProcessAccount(os.environ.get("AWS_DEFAULT_REGION", "us-east-1")))


def _copy(server: BaseWSGIServer, application: Application, _: Any) -> dict[str, int]:
    """Fork this process, and return the copy's id and the port where it serves all that exists here now.

    It ends with this process at the latest. Objects in S3 of more than 16 MiB, which moto keeps in files, are shared.
    """
    port_end, port_start = os.pipe()
    gc.freeze()  # neither process is to look at what is there, nor the kernel to copy it
    process = os.fork()
    if not process:
        _serve_copy(server, application, port_start)
    os.close(port_start)
    port = int(os.read(port_end, _PORT_DIGITS))
    os.close(port_end)
    return {"port": port, "process": process}


def _serve_copy(original: BaseWSGIServer, application: Application, port: int) -> None:
    """Be the copy, in which only this thread lives on. Never returns: the call that made the copy is not answered."""
    try:
        original.socket.close()
        application.begin()
        threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
        server = _listening(0, application)
        pages.TAKES["copy"] = partial(_copy, server, application)
        os.write(port, str(server.port).encode())
        os.close(port)
        server.serve_forever()
    finally:
        os._exit(1)
