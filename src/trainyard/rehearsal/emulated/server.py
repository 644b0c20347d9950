"""The process of an emulated account: ``python -m trainyard.rehearsal.emulated.server [--port N] [--stay]``.

It listens on 127.0.0.1 alone, and prints one line of JSON, ``{"port": N}``, when it answers.
It ends when its standard input closes or its parent dies, so that nothing is left behind, unless it was told to stay.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import sys
import threading

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import make_server

from trainyard.rehearsal.emulated import extensions
from trainyard.rehearsal.emulated.application import Application
from trainyard.rehearsal.emulated.inside import let_calls_in
from trainyard.rehearsal.emulated.planting import plant_from_environment

HOST = "127.0.0.1"
_LOOK_AT_PARENT_S = 1.0


class _Quiet(MotoRequestHandler):
    """Logs nothing: bodies and queries of calls may carry secrets."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  # the name of werkzeug's parameter
        pass


def main() -> None:
    """Serve until told otherwise."""
    parser = argparse.ArgumentParser(prog="python -m trainyard.rehearsal.emulated.server")
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument("--stay", action="store_true", help="do not end with standard input or with the parent")
    options = parser.parse_args()
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL"):
        os.environ.pop(name, None)  # moto makes sessions of its own
    if not options.stay:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which may still have to clean up
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    extensions.install()
    application = Application()
    let_calls_in(application)
    plant_from_environment()
    server = make_server(HOST, options.port, application, threaded=True, request_handler=_Quiet)
    os.environ["MOTO_PORT"] = str(server.port)  # moto writes it into the URLs that it answers with
    sys.stdout.write(json.dumps({"port": server.port}) + "\n")
    sys.stdout.flush()
    server.serve_forever()


def _end_with_parent(parent: int) -> None:
    """End the process at once: nothing here outlives it."""
    while os.getppid() == parent:
        readable, _, _ = select.select([sys.stdin], [], [], _LOOK_AT_PARENT_S)
        if readable and not os.read(sys.stdin.fileno(), 4096):
            break
    os._exit(0)


if __name__ == "__main__":
    main()
