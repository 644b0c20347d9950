"""A Docker that records what it is told: arguments, its folder of settings, and what it reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROGRAM = """\
#!/usr/bin/env python3
import json, os, pathlib, signal, sys, time
here = pathlib.Path(__file__).parent
words = sys.argv[1:]
folder = pathlib.Path(words[-1])
answers = json.loads((here / "answers.json").read_text())
settings = pathlib.Path(os.environ.get("DOCKER_CONFIG", "/nonexistent"))
config = settings / "config.json"
call = {
    "words": words,
    "read": sys.stdin.read() if "--password-stdin" in words else None,
    "settings": str(settings),
    "mode": oct(settings.stat().st_mode)[-3:] if settings.is_dir() else None,
    "config": json.loads(config.read_text()) if config.is_file() else None,
    "entries": sorted(one.name for one in settings.iterdir()) if settings.is_dir() else [],
    "context": {one.name: one.read_text() for one in folder.iterdir()} if words[0] == "build" else None,
    "attestations": os.environ.get("BUILDX_NO_DEFAULT_ATTESTATIONS"),
}
with (here / "calls").open("a") as calls:
    calls.write(json.dumps(call) + "\\n")
if words[0] == "login":
    (settings / "config.json").write_text(json.dumps({"auths": {words[-1]: {"auth": call["read"]}}}))
status, said = answers.get(words[0], (0, ""))
if said == "end the caller":
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)
print(said, file=sys.stderr)
sys.exit(status)
"""


@dataclass
class RecordingDocker:
    """The program in a folder of its own, to be put into PATH."""

    folder: Path

    def __post_init__(self) -> None:
        """Put the program there."""
        self.folder.mkdir(exist_ok=True)
        self.install("docker")
        self.answer()

    def install(self, name: str) -> None:
        """Put the program there by a name."""
        (self.folder / name).write_text(_PROGRAM)
        (self.folder / name).chmod(0o755)

    def answer(self, **answers: tuple[int, str]) -> None:
        """Say with which status and words its commands end."""
        (self.folder / "answers.json").write_text(json.dumps(answers))

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return what it was told."""
        file = self.folder / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def call(self, command: str) -> dict[str, Any]:
        """Return the only call of a command."""
        (found,) = [call for call in self.calls if call["words"][0] == command]
        return found
