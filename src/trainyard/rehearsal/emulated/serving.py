"""The emulated account behind a socket, with all extensions in place and the seeds planted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import make_server

from trainyard.rehearsal.emulated import extensions
from trainyard.rehearsal.emulated.application import Application
from trainyard.rehearsal.emulated.in_process_client import let_calls_in
from trainyard.rehearsal.emulated.seed_account import plant_from_environment

if TYPE_CHECKING:
    from werkzeug.serving import BaseWSGIServer

HOST = "127.0.0.1"


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
    server = make_server(HOST, port, application, threaded=True, request_handler=_Quiet)
    os.environ["MOTO_PORT"] = str(server.port)  # moto writes it into the URLs that it answers with
    return server
