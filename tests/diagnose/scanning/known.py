"""Signatures made for tests, and logs for them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from trainyard.diagnose.cause import Cause, Signature
from trainyard.diagnose.log_file import LogFile
from trainyard.diagnose.scanning.result import Scan, SignatureHits
from trainyard.diagnose.scanning.scan import scan


def known(
    patterns: Mapping[str, str], *, harmless: Iterable[str] = (), logs: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, tuple[Signature, Cause]]:
    return {
        name: _one(name, pattern, name in set(harmless), (logs or {}).get(name, ()))
        for name, pattern in patterns.items()
    }


def found(files: Mapping[str, bytes] | bytes, patterns: Mapping[str, str], block: int = 100, **kinds: object) -> Scan:
    named = {"given.txt": files} if isinstance(files, bytes) else files
    logs = (LogFile(name, (data[at : at + block] for at in range(0, len(data), block))) for name, data in named.items())
    return scan(logs, signature_table=known(patterns, **kinds))  # type: ignore[arg-type]


def counts(result: Scan) -> dict[str, int]:
    totals: dict[str, int] = {}
    for signature_hits in result.signature_hits:
        totals[signature_hits.signature] = totals.get(signature_hits.signature, 0) + signature_hits.count
    return totals


def only(result: Scan) -> SignatureHits:
    (seen,) = result.signature_hits
    return seen


def _one(name: str, pattern: str, harmless: bool, logs: tuple[str, ...]) -> tuple[Signature, Cause]:  # noqa: FBT001  a row
    signature = Signature(name, pattern, "certain", ("x",), ("y",), logs)
    severity = "harmless" if harmless else "error"
    day = dt.date(2026, 11, 21)
    return signature, Cause(name, "made", "T", severity, "root", "E.", "R.", "https://example.com", day, (signature,))
