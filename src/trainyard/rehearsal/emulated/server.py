"""The process of an emulated account: ``python -m trainyard.rehearsal.emulated.server``.

It listens on 127.0.0.1 alone, and prints one line of JSON, ``{"port": N}``, when it answers.
It ends when its standard input closes or its parent dies, so that nothing is left behind, unless it was told to stay.
One that is kept lives as long as its folder, and until a day has passed without a call.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path

from trainyard.rehearsal.emulated.parent_process import end_with_parent

# Moto's switches: https://docs.getmoto.org/en/latest/docs/configuration/environment_variables.html
_SWITCHES = {
    "MOTO_DISABLE_GLOBAL_CORS": "true",  # no page in a browser is to call it
    "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
    "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
    "MOTO_ENABLE_AMI_VALIDATION": "true",
    "MOTO_ENABLE_KEYPAIR_VALIDATION": "true",
}


def main() -> None:
    """Serve until told otherwise."""
    parser = argparse.ArgumentParser(prog="python -m trainyard.rehearsal.emulated.server")
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument("--stay", action="store_true", help="do not end with standard input or with the parent")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="be the kept rehearsal of this folder")
    options = parser.parse_args()
    _set_environment()
    if options.kept and os.fork():
        os._exit(0)  # the other one has no parent any more that would have to wait for it
    if not (options.stay or options.kept):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which may still have to clean up
        threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    from trainyard.rehearsal.emulated.http_server import server_at  # noqa: PLC0415  # moto reads its switches when imported

    server = server_at(options.port)
    if options.kept:
        from trainyard.rehearsal.emulated.kept_process import stay_kept  # noqa: PLC0415  as above

        stay_kept(options.kept, server.port)
    sys.stdout.write(json.dumps({"port": server.port}) + "\n")
    sys.stdout.flush()
    server.serve_forever()


def _set_environment() -> None:
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL"):
        os.environ.pop(name, None)  # moto makes sessions of its own
    for name, value in _SWITCHES.items():
        os.environ.setdefault(name, value)


if __name__ == "__main__":
    main()
