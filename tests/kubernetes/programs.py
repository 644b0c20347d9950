"""Programs eksctl and kubectl to be found on PATH: what they are told is recorded, and answered from this process.

Each is a script that hands its words, its standard input and its environment to a thread here, and prints what that
answers. So they see an account in memory, and a test sees everything that they were told.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from tests.kubernetes.api_server import FakeApiServer, RefusedError
from tests.kubernetes.fake_eksctl import CrashedError, FailedError, FakeEksctl, KilledError
from trainyard.edge.aws.account import Account

_SCRIPT = """\
#!{python} -ISE
import json, os, signal, sys
folder = {folder!r}
own = os.path.join(folder, str(os.getpid()))
words = sys.argv[1:]
reads = any(word in ("-", "--filename=-", "-f=-") for word in words)
files = {{word: word.partition("=")[2] for word in words if word.startswith("--config-file=")}}
kubeconfig = os.environ.get("KUBECONFIG", "")
call = {{
    "program": {name!r},
    "words": words,
    "input": sys.stdin.read() if reads else None,
    "variables": dict(os.environ),
    "files": {{word: open(file).read() for word, file in files.items()}},
    "modes": {{word: oct(os.stat(file).st_mode & 0o777) for word, file in files.items()}},
    "kubeconfig": open(kubeconfig).read() if os.path.isfile(kubeconfig) else None,
    "answer": own + ".answer",
}}
os.mkfifo(call["answer"], 0o600)
with open(own + ".call", "w") as file:
    json.dump(call, file)
with open(os.path.join(folder, "requests"), "w") as requests:
    requests.write(own + ".call\\n")
with open(call["answer"]) as answers:
    for line in answers:
        kind, value = json.loads(line)
        if kind == "status":
            os.kill(os.getpid(), -value) if value < 0 else sys.exit(value)
        print(value, file=sys.stderr if kind == "err" else sys.stdout, flush=True)
"""


@dataclass
class Call:
    """What a program was told."""

    program: str
    words: list[str]
    input: str | None
    variables: dict[str, str]
    files: dict[str, str]
    modes: dict[str, str]
    kubeconfig: str | None

    @property
    def said(self) -> str:
        """Return the words in a line, without the names of temporary files."""
        return " ".join(word.partition("=")[0] + "=FILE" if word in self.files else word for word in self.words)


@dataclass
class FakePrograms:
    """The programs of a folder. Use it in a ``with``; ``on_path`` makes them all that is found."""

    folder: Path
    eksctl: FakeEksctl
    api: FakeApiServer
    calls: list[Call] = field(default_factory=list)
    hangs: str | None = None
    """Beginning of the words that get no answer until the end."""
    kubectl_version: str = "v1.35.1"
    prints: str | None = None
    """What kubectl answers, whatever it is told."""

    @classmethod
    def of(cls, folder: Path, account: Account) -> FakePrograms:
        api = FakeApiServer()
        return cls(folder, FakeEksctl(account, api), api)

    def on_path(self, monkeypatch: pytest.MonkeyPatch) -> FakePrograms:
        """Let these programs be found, and no others."""
        monkeypatch.setenv("PATH", str(self.folder / "bin"))
        monkeypatch.delenv("KUBECONFIG", raising=False)
        return self

    def remove(self, program: str) -> None:
        """Let a program be missing."""
        (self.folder / "bin" / program).unlink()

    def said(self, program: str = "") -> list[str]:
        """Return what they were told, in order, a line for each call; nothing of questions for versions."""
        asked = [call for call in self.calls if call.words[:1] != ["version"] and "version" not in call.words[:2]]
        return [f"{one.program} {one.said}" for one in asked if one.program.startswith(program)]

    def __enter__(self) -> Self:
        work = self.folder / "calls"
        work.mkdir(parents=True)
        os.mkfifo(work / "requests", 0o600)
        for name in ("eksctl", "kubectl"):
            file = self.folder / "bin" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(_SCRIPT.format(python=sys.executable, folder=str(work), name=name))
            file.chmod(stat.S_IRWXU)
        # Open for reading and writing, so that no reader sees an end when the last program closes it.
        self._requests = os.open(work / "requests", os.O_RDWR)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.write(self._requests, b"end\n")
        self._thread.join(10)
        os.close(self._requests)

    def _serve(self) -> None:
        with os.fdopen(os.dup(self._requests)) as requests:
            for line in requests:
                if line == "end\n":
                    return
                threading.Thread(target=self._answer, args=(Path(line.strip()),), daemon=True).start()

    def _answer(self, request: Path) -> None:
        told = json.loads(request.read_text())
        answer = told.pop("answer")
        call = Call(**told)
        self.calls.append(call)
        if self.hangs is not None and " ".join([call.program, *call.words]).startswith(self.hangs):
            return
        try:
            with Path(answer).open("w") as stream:
                for kind, value in self._answers(call):
                    stream.write(json.dumps([kind, value]) + "\n")
                    stream.flush()
        except BrokenPipeError:
            pass  # it was killed

    def _answers(self, call: Call) -> Iterator[tuple[str, Any]]:
        try:
            lines = self._of_eksctl(call) if call.program == "eksctl" else self._of_kubectl(call)
            for line in lines:
                yield "out", line
        except KilledError:
            yield "status", -9
        except CrashedError:
            yield "status", 2
        except FailedError as error:
            yield "out", f"2026-11-22 04:00:00 [✖]  {error}"
            yield "err", f"Error: {error}"
            yield "status", 1
        except RefusedError as error:
            yield from (("err", line) for line in str(error).splitlines())
            yield "status", 1
        except Exception as error:  # noqa: BLE001  a defect of the stand-in has to be seen
            yield "err", f"the stand-in has a defect: {error!r}"
            yield "status", 70
        else:
            yield "status", 0

    def _of_eksctl(self, call: Call) -> Iterator[str]:
        if call.words[0] == "version":
            yield self.eksctl.said_version()
            return
        config = next(iter(call.files.values()), None)
        lines: list[str] = []
        try:
            self.eksctl.run([word for word in call.words if not word.startswith("--color")], config, lines.append)
        finally:
            yield from lines

    def _of_kubectl(self, call: Call) -> Iterator[str]:
        if self.prints is not None:
            yield self.prints
            return
        words = [word for word in call.words if not word.startswith("--request-timeout")]
        flags = dict(word.removeprefix("--").partition("=")[::2] for word in words if word.startswith("--"))
        documents = [] if call.input is None else json.loads(call.input)["items"]
        match words[0]:
            case "version":
                client = {"clientVersion": {"gitVersion": self.kubectl_version}}
                server = {} if "client" in flags else {"serverVersion": {"gitVersion": self.api.server_version()}}
                yield json.dumps({**client, **server})
            case "get":
                found = self.api.get(words[-1], flags.get("namespace"), flags.get("selector"))
                yield json.dumps({"apiVersion": "v1", "kind": "List", "items": found})
            case "apply":
                yield from self.api.apply(documents, force_conflicts="force-conflicts" in flags)
            case "drain":
                yield from self.api.drain(words[-1])
            case "delete":
                yield from self.api.delete(documents)
            case "logs":
                lines = self.api.log(
                    words[-1],
                    flags["namespace"],
                    flags.get("container"),
                    since=flags.get("since-time"),
                    stamped="timestamps" in flags,
                )
                yield from lines[-int(flags["tail"]) :] if "tail" in flags else lines
