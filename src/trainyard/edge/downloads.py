"""Downloads files over HTTPS: bounded, tried again where that can help, resumed where they were cut short.

Proxies are those of the environment, as for every other program: HTTPS_PROXY and NO_PROXY.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPResponse as Answer
from pathlib import Path
from typing import TypeVar
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, Request

from trainyard.edge.https import NOT_HTTPS, PassingError, https_opener, passing
from trainyard.errors import TrainyardError
from trainyard.version import __version__

Result = TypeVar("Result")

_CHUNK_BYTES = 1 << 20
_REPORT_EVERY_S = 5.0
# Busy, or broken for now: https://www.rfc-editor.org/rfc/rfc9110.html#section-15.6 and RFC 6585 for 429
_MAY_PASS = {408, 425, 429, 500, 502, 503, 504}
_NOT_SATISFIABLE = 416
_PARTIAL = 206


@dataclass(frozen=True)
class Downloader:
    """Downloads files, and says how far it is."""

    report: Callable[[str], None] = lambda _: None
    schemes: frozenset[str] = frozenset({"https"})
    attempts: int = 5
    first_pause_s: float = 1.0
    """Doubled after every attempt."""
    timeout_s: float = 60.0
    """After this long without a byte an attempt has failed."""
    most_bytes: int = 8_000_000_000
    opener: OpenerDirector = field(default_factory=https_opener)
    sleep: Callable[[float], None] = time.sleep
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
        pause_s = self.first_pause_s
        for number in range(1, self.attempts + 1):
            try:
                return attempt()
            except PassingError as error:
                if number == self.attempts:
                    hint = "check the network, and HTTPS_PROXY where there is a proxy; what is there already is kept"
                    problem = f"could not download {url} in {number} attempts: {error}"
                    raise TrainyardError(problem, where=url, hint=hint) from error
                self.report(f"{error}; tries again in {pause_s:g} s")
                self.sleep(pause_s)
                pause_s *= 2
        raise AssertionError

    def _read(self, url: str, most_bytes: int) -> bytes:
        with self._opened(url, {}) as answer, passing():
            content = answer.read(most_bytes + 1)
            if len(content) > most_bytes:
                raise _too_large(url, most_bytes)
            _refuse_short(answer, len(content))
        return content

    def _fetch(self, url: str, part: Path, expected_bytes: int | None) -> bool:
        """Make one attempt. Return whether it went on with what was there."""
        there, validator = _begun(part)
        asked = {"Range": f"bytes={there}-", "If-Range": validator} if there and validator else {}
        with self._opened(url, asked, part) as answer:
            resumed = answer.status == _PARTIAL and (answer.headers["Content-Range"] or "").startswith(
                f"bytes {there}-"
            )
            if answer.status == _PARTIAL and not resumed:
                part.unlink(missing_ok=True)
                raise PassingError(f"{_host(url)} sent another part than was asked for")
            start = there if resumed else 0
            length = _length(answer)
            total = None if length is None else start + length
            if max(total or 0, expected_bytes or 0) > self.most_bytes:
                raise _too_large(url, self.most_bytes)
            if not resumed:
                _remember(part, answer)
            self._write(url, part, answer, start, total)
        return resumed

    def _write(self, url: str, part: Path, answer: Answer, start: int, total: int | None) -> None:
        done, said = start, self.clock()
        with part.open("ab" if start else "wb") as stream:
            while True:
                with passing():
                    chunk = answer.read(_CHUNK_BYTES)
                if not chunk:
                    break
                stream.write(chunk)
                done += len(chunk)
                if done > self.most_bytes:
                    raise _too_large(url, self.most_bytes)
                if self.clock() - said >= _REPORT_EVERY_S:
                    said = self.clock()
                    self.report(f"{part.name}: {_megabytes(done)}{f' of {_megabytes(total)}' if total else ''}")
        _refuse_short(answer, done - start)

    def _opened(self, url: str, headers: dict[str, str], part: Path | None = None) -> Answer:
        request = Request(url, headers={"User-Agent": f"trainyard/{__version__}", **headers})  # noqa: S310  _tried
        try:
            with passing():
                answer: Answer = self.opener.open(request, timeout=self.timeout_s)
        except HTTPError as error:
            error.close()
            if error.code == _NOT_SATISFIABLE and part is not None and headers:
                part.unlink(missing_ok=True)
                raise PassingError(f"{_host(url)} does not have the rest of it") from error
            said = f"{_host(url)} says {error.code} {error.reason}"
            if error.code in _MAY_PASS:
                raise PassingError(said) from error
            hint = (
                "it may have been withdrawn, or a proxy may not let it through; a later version of trainyard may know"
            )
            raise TrainyardError(f"could not download {url}: {said}", where=url, hint=hint) from error
        return answer


def _begun(part: Path) -> tuple[int, str]:
    """Return how much of a file is there, and what tells whether it is still the same file."""
    validator = part.with_suffix(".validator")
    if not part.is_file() or not validator.is_file():
        return 0, ""
    return part.stat().st_size, validator.read_text(encoding="utf-8")


def _remember(part: Path, answer: Answer) -> None:
    """Write down what a server calls this content. A weak tag does not tell bytes apart.

    https://www.rfc-editor.org/rfc/rfc9110.html#section-13.1.5
    """
    tag = answer.headers["ETag"] or ""
    validator = tag if tag.startswith('"') else answer.headers["Last-Modified"] or ""
    if not (validator.isascii() and validator.isprintable()):
        validator = ""  # it becomes a header of the next request
    part.with_suffix(".validator").write_text(validator, encoding="utf-8")


def _refuse_short(answer: Answer, received: int) -> None:
    """Raise PassingError where not all has come. A server that tells no length sends chunks, or it is not believed."""
    length = _length(answer)
    if length is not None and received != length:
        raise PassingError(f"the connection ended after {received:,} of {length:,} bytes")
    if length is None and not answer.chunked:
        raise PassingError("the server does not say how long the file is")


def _length(answer: Answer) -> int | None:
    told = answer.headers["Content-Length"] or ""
    return int(told) if told.isascii() and told.isdigit() else None


def _too_large(url: str, most_bytes: int) -> TrainyardError:
    return TrainyardError(
        f"{url} is larger than {_megabytes(most_bytes)}", where=url, hint="look who answers at this address"
    )


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB"


def _host(url: str) -> str:
    return urlsplit(url).hostname or url
