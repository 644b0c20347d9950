"""Downloads files over HTTPS: bounded, tried again where that can help, resumed where they were cut short.

Proxies are those of the environment, as for every other program: HTTPS_PROXY and NO_PROXY.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from urllib3 import BaseHTTPResponse as Answer

from trainyard.edge.http_client import NOT_HTTPS, TRUST, AttemptError, HttpClient, chunk
from trainyard.errors import TrainyardError
from trainyard.stop_request import look

Result = TypeVar("Result")

_CHUNK_BYTES = 1 << 20
_REPORT_EVERY_S = 5.0


@dataclass(frozen=True)
class Downloader:
    """Downloads files, and says how far it is."""

    report: Callable[[str], None] = lambda _: None
    schemes: frozenset[str] = frozenset({"https"})
    http: HttpClient = field(default_factory=lambda: HttpClient(timeout_s=60.0))
    most_bytes: int = 8_000_000_000
    clock: Callable[[], float] = time.monotonic

    def content(self, url: str, most_bytes: int) -> bytes:
        """Return the content of a small file, which is never kept. Raises TrainyardError."""
        return self._tried(url, lambda: self._read(url, most_bytes))

    def file(self, url: str, part: Path, expected_bytes: int | None = None) -> bool:
        """Download a file to ``part``, or the rest of it where a part of it is there. Return whether it was resumed.

        It is whole when this returns, and has to be verified then. Raises TrainyardError; a part may stay behind.
        """
        resumed: list[bool] = []
        self._tried(url, lambda: resumed.append(self._fetch(url, part, expected_bytes)))
        return any(resumed)

    def _tried(self, url: str, attempt: Callable[[], Result]) -> Result:
        if urlsplit(url).scheme not in self.schemes:
            raise TrainyardError(f"{url} is not https", where=url, hint=NOT_HTTPS)
        try:
            return self.http.attempt(attempt, self.report)
        except AttemptError as error:
            if error.failure == "certificate":
                raise TrainyardError(str(error), hint=TRUST) from error
            hint = "check the network, and HTTPS_PROXY where there is a proxy; what is there already is kept"
            problem = f"could not download {url} in {self.http.retry.attempts} attempts: {error}"
            raise TrainyardError(problem, where=url, hint=hint) from error

    def _read(self, url: str, most_bytes: int) -> bytes:
        with self._opened(url, {}) as answer:
            content = chunk(answer, most_bytes + 1)
            if len(content) > most_bytes:
                raise _too_large(url, most_bytes)
            _refuse_short(answer, len(content))
        return content

    def _fetch(self, url: str, part: Path, expected_bytes: int | None) -> bool:
        """Make one attempt. Return whether it went on with what was there."""
        have_bytes, validator = _partial_file(part)
        headers = {"Range": f"bytes={have_bytes}-", "If-Range": validator} if have_bytes and validator else {}
        with self._opened(url, headers, part) as answer:
            partial = answer.status == HTTPStatus.PARTIAL_CONTENT
            resumed = partial and answer.headers.get("Content-Range", "").startswith(f"bytes {have_bytes}-")
            if partial and not resumed:
                part.unlink(missing_ok=True)
                raise AttemptError(f"{_host(url)} sent another part than was asked for")
            start = have_bytes if resumed else 0
            length = _length(answer)
            total = None if length is None else start + length
            if max(total or 0, expected_bytes or 0) > self.most_bytes:
                raise _too_large(url, self.most_bytes)
            if not resumed:
                _remember(part, answer)
            self._write(url, part, answer, start, total)
        return resumed

    def _write(self, url: str, part: Path, answer: Answer, start: int, total: int | None) -> None:
        done, reported_s = start, self.clock()
        with part.open("ab" if start else "wb") as stream:
            while content := chunk(answer, _CHUNK_BYTES):
                look()
                stream.write(content)
                done += len(content)
                if done > self.most_bytes:
                    raise _too_large(url, self.most_bytes)
                if self.clock() - reported_s >= _REPORT_EVERY_S:
                    reported_s = self.clock()
                    self.report(f"{part.name}: {_megabytes(done)}{f' of {_megabytes(total)}' if total else ''}")
        _refuse_short(answer, done - start)

    @contextmanager
    def _opened(self, url: str, headers: dict[str, str], part: Path | None = None) -> Iterator[Answer]:
        with self.http.stream(url, headers) as answer:
            if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and part is not None and headers:
                part.unlink(missing_ok=True)
                raise AttemptError(f"{_host(url)} does not have the rest of it")
            if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
                problem = f"could not download {url}: {_host(url)} says {answer.status} {answer.reason}"
                withdrawn = "it may have been withdrawn, or a proxy may not let it through"
                raise TrainyardError(problem, where=url, hint=f"{withdrawn}; a later version of trainyard may know")
            yield answer


def _partial_file(part: Path) -> tuple[int, str]:
    """Return how much of a file is there, and what tells whether it is still the same file."""
    validator = part.with_suffix(".validator")
    if not part.is_file() or not validator.is_file():
        return 0, ""
    return part.stat().st_size, validator.read_text(encoding="utf-8")


def _remember(part: Path, answer: Answer) -> None:
    """Write down what a server calls this content. A weak tag does not tell bytes apart.

    https://www.rfc-editor.org/rfc/rfc9110.html#section-13.1.5
    """
    tag = answer.headers.get("ETag", "")
    validator = tag if tag.startswith('"') else answer.headers.get("Last-Modified", "")
    if not (validator.isascii() and validator.isprintable()):
        validator = ""  # it becomes a header of the next request
    part.with_suffix(".validator").write_text(validator, encoding="utf-8")


def _refuse_short(answer: Answer, received: int) -> None:
    """Raise AttemptError where not all has come: all that has no length has to come in chunks, which have an end."""
    length = _length(answer)
    if length is not None and received != length:
        raise AttemptError(f"the connection ended after {received:,} of {length:,} bytes")
    if length is None and answer.headers.get("Transfer-Encoding", "").lower() != "chunked":
        raise AttemptError("the server does not say how long the file is")


def _length(answer: Answer) -> int | None:
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else None


def _too_large(url: str, most_bytes: int) -> TrainyardError:
    problem = f"{url} is larger than {_megabytes(most_bytes)}"
    return TrainyardError(problem, where=url, hint="look who answers at this address")


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB"


def _host(url: str) -> str:
    return urlsplit(url).hostname or url
