"""The user's own Docker, or Podman, which is called in the same words: it builds images and pushes them.

What opens a registry goes through standard input, into a folder of its own that is removed afterwards: nothing of it is
in arguments, in the user's configuration or in a keychain.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from trainyard.edge.aws.container_registry import Login
from trainyard.edge.aws.errors import cleaned_up
from trainyard.edge.foreground import ending_in_order, run_in_foreground
from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, quoted_or

ENGINES = ("docker", "podman")
_ANSWERS_WITHIN_S = 60
_LOGS_IN_WITHIN_S = 120
_STANDARD_ERROR = 2
_INTERRUPTED = {130, -2}  # what a shell says of a program that SIGINT ended, and what Python says


@dataclass(frozen=True, slots=True)
class Engine:
    """The program that is there."""

    name: str
    path: str

    def refuse_without_daemon(self) -> None:
        """Raise TrainyardError where nothing answers that could build."""
        words = ("version", "--format", "{{.Server.Version}}") if self.name == "docker" else ("info",)
        status, output = self._run(words)
        if status:
            hint = "start Docker (`sudo systemctl start docker`, or Docker Desktop), and see that `docker info` works"
            if self.name == "podman":
                hint = "see that `podman info` works; on macOS, `podman machine start`"
            raise TrainyardError(
                f"{self.name} does not answer: {quoted_or(output, f'status {status}')}", where=self.path, hint=hint
            )

    def build(self, folder: Path, image: str, platform: str) -> None:
        """Build the Dockerfile of a folder; what it prints goes to standard error.

        Raises TrainyardError where that fails.
        """
        # Without these, a registry that forgets untagged images may count the parts of an index among them.
        # https://docs.docker.com/build/metadata/attestations/
        variables = {**os.environ, "BUILDX_NO_DEFAULT_ATTESTATIONS": "1"}
        status = run_in_foreground((self.path, *build_words(image, platform, str(folder))), variables, _STANDARD_ERROR)
        self._refuse_failed(
            status, "build", "correct what it names above; without network in builds, see `docker info`"
        )

    def push(self, image: str, variables: Mapping[str, str]) -> None:
        """Push an image, with the variables that ``logged_in`` gave. Raises TrainyardError where that fails."""
        status = run_in_foreground((self.path, "push", image), variables, _STANDARD_ERROR)
        self._refuse_failed(
            status, "push", "run the command again, which builds from the cache; layers are not sent twice"
        )

    @contextmanager
    def logged_in(self, opened: Login) -> Iterator[Mapping[str, str]]:
        """Give the variables with which a registry is open, until the end of the block."""
        place = os.environ.get("XDG_RUNTIME_DIR", "")
        try:
            folder = tempfile.TemporaryDirectory(
                prefix="trainyard-docker-", dir=place if Path(place).is_dir() and place else None
            )
        except OSError as error:
            raise TrainyardError(
                f"no folder can be made for the login: {error.strerror}", where=error.filename
            ) from error
        with ending_in_order(), folder as temporary:
            variables = _variables(Path(temporary), opened.registry)
            status, output = self._run(
                ("login", "--username", opened.user, "--password-stdin", opened.registry), opened.password, variables
            )
            if status:
                hint = (
                    "the password is fresh, so see whether the registry can be reached from Docker, by a proxy for one"
                )
                raise TrainyardError(
                    f"{self.name} could not log in: {quoted(output)}", where=opened.registry, hint=hint
                )
            with cleaned_up(lambda: self._run(("logout", opened.registry), None, variables)):
                yield variables

    def _run(
        self, words: Sequence[str], text: str | None = None, variables: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Return the status and the last line of what was said."""
        timeout_s = _LOGS_IN_WITHIN_S if text else _ANSWERS_WITHIN_S
        ended = run_watched(
            (self.path, *words), variables or os.environ, timeout_s=timeout_s, content=(text or "").encode()
        )
        if ended.timed_out:
            return 1, f"no answer within {timeout_s} s"
        return ended.status, ended.lines[-1].strip() if ended.lines else ""

    def _refuse_failed(self, status: int, doing: str, hint: str) -> None:
        if status in _INTERRUPTED:
            raise KeyboardInterrupt
        if status:
            problem = f"{self.name} {doing} has ended with status {status}; what it said stands above"
            raise TrainyardError(problem, where=self.path, hint=hint)


def find_engine(chosen: str | None = None) -> Engine:
    """Return the program that is wanted, or the first one that is here. Raises TrainyardError where there is none."""
    names = ENGINES if chosen is None else (chosen,)
    for name in names:
        path = which(name)
        if path is not None:
            return Engine(name, path)
    missing = " and no ".join(names)
    hint = "install Docker (https://docs.docker.com/engine/install/) or Podman, or build elsewhere what --print shows"
    raise TrainyardError(f"there is no {missing} here", where="PATH", hint=hint)


def build_words(image: str, platform: str, folder: str) -> tuple[str, ...]:
    """Return what the program is told to build the Dockerfile of a folder."""
    return ("build", "--platform", platform, "--tag", image, folder)


def _variables(folder: Path, registry: str) -> dict[str, str]:
    """Return variables of a configuration in a folder: with the user's way to the daemon, and without his keychain.

    Where no registry is configured, docker login looks for a keychain by itself; so one is, without a password.
    https://docs.docker.com/reference/cli/docker/login/#credential-stores
    """
    own = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    context = _own_context(own)
    settings = {"auths": {registry: {}}, **({} if context is None else {"currentContext": context})}
    for name in ("contexts", "cli-plugins"):
        if (own / name).is_dir():
            (folder / name).symlink_to((own / name).resolve())
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "config.json").chmod(0o600)
    return {**os.environ, "DOCKER_CONFIG": str(folder), "REGISTRY_AUTH_FILE": str(folder / "auth.json")}


def _own_context(folder: Path) -> str | None:
    """Return which daemon the user has chosen, None where he leaves that to Docker."""
    with suppress(OSError, ValueError, AttributeError):
        context = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("currentContext")
        return context if isinstance(context, str) and context else None
    return None
