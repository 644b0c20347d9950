"""Programs on PATH that write down how they were called: a session-manager-plugin and an ssh."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

# As the real one: it takes its session from the variable that its first argument names, and forgets it there.
# ValidateInputAndStartSession in src/sessionmanagerplugin/session/session.go of
# https://github.com/aws/session-manager-plugin
_PLUGIN = f"""\
#!{sys.executable}
import json, os, signal, sys, time
if sys.argv[1:] == ["--version"]:
    print(os.environ.get("FAKE_VERSION", "1.2.896.0"))
    sys.exit()
line = open(f"/proc/{{os.getpid()}}/cmdline", "rb").read().decode().split("\\0")[1:-1]
record = {{"arguments": line, "variables": dict(os.environ), "session": json.loads(os.environ.pop(sys.argv[1]))}}
does = os.environ.get("FAKE_DOES", "ends")
if does == "waits":
    def stop(number, _):
        open(os.environ["FAKE_LOG"] + ".signals", "a").write(f"{{signal.Signals(number).name}}\\n")
        print("Terminate signal received, exiting.")
        sys.exit(0)
    signal.signal(signal.SIGINT, stop)
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps(record) + "\\n")
print(f"\\nStarting session with SessionId: {{record['session']['SessionId']}}", flush=True)
if does == "waits":
    time.sleep(30)
elif does == "fails":
    sys.exit(3)
elif does == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
elif does == "greets":
    print("SSH-2.0-nobody\\r", flush=True)
"""
_SSH = f"""\
#!{sys.executable}
import json, os, sys
with open(os.environ["FAKE_LOG"], "a") as log:
    log.write(json.dumps({{"arguments": sys.argv[1:]}}) + "\\n")
sys.exit(int(os.environ.get("FAKE_STATUS", "0")))
"""


class Programs(NamedTuple):
    """A folder of programs, and what they wrote down."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables that put them first, with a home that is empty and no ssh-agent."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        found = {"PATH": f"{self.folder}:{os.environ['PATH']}", "FAKE_LOG": str(self.folder / "log"), "HOME": str(home)}
        return {**found, "SSH_AUTH_SOCK": ""}

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return what was called, the first call first."""
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def signals(self) -> list[str]:
        """Return the signals that came to the plugin."""
        log = self.folder / "log.signals"
        return log.read_text().split() if log.exists() else []

    def key(self, name: str, mode: int = 0o600, text: str = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n") -> Path:
        """Write a private key into ~/.ssh."""
        file = self.folder / "home" / ".ssh" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file


def programs(folder: Path, *names: str) -> Programs:
    """Write programs into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"session-manager-plugin": _PLUGIN, "ssh": _SSH}
    for name in names:
        (folder / name).write_text(texts[name])
        (folder / name).chmod(0o755)
    return Programs(folder)
