"""Ways to a head node that end on this machine: an ssh and a Systems Manager that run the line here."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# As the real one: options, the host, and one word that the shell of the user reads.
_SSH = """\
#!/bin/sh
printf '%s\\n' "$*" | cut --characters=1-200 >>"$STUB_LOG"
while [ "$1" != -- ]; do shift; done
[ "$2" = head ] || { echo "ssh: Could not resolve hostname $2: Name or service not known" >&2; exit 255; }
echo "Welcome to Ubuntu"
exec sh -c "$3"
"""
# As sudo with -n -H -u USER -- COMMAND, when called by root.
_SUDO = """\
#!/bin/sh
printf 'sudo %s\\n' "$*" | cut --characters=1-200 >>"$STUB_LOG"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


def programs(folder: Path) -> dict[str, str]:
    """Write ssh and sudo into a folder and return the variables that put them first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("ssh", _SSH), ("sudo", _SUDO)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    settings = folder / "cfnconfig"
    settings.write_text("stack_name=lab\ncfn_cluster_user=ubuntu\n")
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "STUB_LOG": str(folder / "log"),
        "HOME": str(home),
        "TRAINYARD_CFNCONFIG": str(settings),
    }


@dataclass
class Agent:
    """A Systems Manager whose only node is this machine."""

    instance: str = "i-0a1b2c3d4e5f60718"
    refuses: str | None = None
    """The code that it answers everything with."""
    ends: str | None = None
    """The status with which a command ends that never arrived."""
    commands: dict[str, subprocess.CompletedProcess[str]] = field(default_factory=dict)
    asked: int = 0

    def answer(self, action: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and content."""
        self.asked += 1
        if self.refuses is not None:
            return 400, {"__type": self.refuses, "message": "said by the stand-in"}
        if action == "SendCommand":
            return self._sent(asked)
        if self.asked % 2 == 0:  # what was sent is known a moment later
            return 400, {"__type": "InvocationDoesNotExist"}
        done = self.commands[asked["CommandId"]]
        status = self.ends or ("Success" if done.returncode == 0 else "Failed")
        out = "" if self.ends else done.stdout[:24000]
        return 200, {
            "Status": status, "StatusDetails": status,
            "StandardOutputContent": out, "StandardErrorContent": "" if self.ends else done.stderr[:8000],
        }  # fmt: skip

    def _sent(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if asked["InstanceIds"] != [self.instance]:
            return 400, {"__type": "InvalidInstanceId", "message": "Instances not in a valid state for account"}
        assert asked["DocumentName"] == "AWS-RunShellScript"
        (line,) = asked["Parameters"]["commands"]
        id_ = f"{len(self.commands):08d}-1111-2222-3333-444444444444"
        self.commands[id_] = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        return 200, {"Command": {"CommandId": id_, "Status": "Pending"}}


@contextmanager
def systems_manager(agent: Agent) -> Iterator[str]:
    """Serve it on loopback, and give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = agent.answer(self.headers["X-Amz-Target"].partition(".")[2], asked)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
