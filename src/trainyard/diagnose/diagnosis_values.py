"""A diagnosis as plain values, as docs/json.md documents them: what every report is made of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from trainyard.diagnose.cause import Hit, signatures
from trainyard.diagnose.diagnosis import DiagnosedCause, Diagnosis, FilteredLines
from trainyard.diagnose.reasoning.node_share import NodeShare
from trainyard.diagnose.redaction import Redaction
from trainyard.diagnose.scanning.patterns import compile_pattern
from trainyard.diagnose.stated_versions import VersionsInConflict
from trainyard.version import __version__

# What our own data say: nobody is named in it, and a redaction could only spoil it.
_OWN_WORDS = frozenset(
    {"cause", "signature", "signatures", "title", "severity", "kind", "confidence", "explanation", "remedy", "source"}
    | {"first_seen", "last_seen", "time", "oldest", "newest", "since", "until", "trainyard_version"}
    | {"component", "version", "versions", "case"}
)

# A line that is shorter is shown whole.
_LONG = 300


def diagnosis_values(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return what a diagnosis says, without its schema version."""
    return {
        "diagnosed": diagnosis.source,
        "causes": [_with_consequences(cause) for cause in diagnosis.causes],
        "harmless": [_cause(diagnosed_cause) for diagnosed_cause in diagnosis.harmless],
        "repaired": [_cause(diagnosed_cause) for diagnosed_cause in diagnosis.repaired],
        "unrecognised": [
            {
                "file": unusual_line.file,
                "line": unusual_line.line,
                "text": unusual_line.text,
                "count": unusual_line.count,
                "is_error": unusual_line.is_error,
            }
            for unusual_line in diagnosis.unrecognised
        ],
        "versions": [stated._asdict() for stated in diagnosis.versions],
        "version_conflicts": [_conflict(conflict) for conflict in diagnosis.version_conflicts],
        "unread": [{"name": unread.name, "why": unread.why} for unread in diagnosis.unread],
        "unread_count": diagnosis.unread_count,
        "files": diagnosis.files,
        "size_bytes": diagnosis.size_bytes,
        "not_asked": _not_asked(diagnosis.not_asked),
        "redacted": False,
        "trainyard_version": __version__,
    }


def redact_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same values with other names for everything that logs, paths and node names identify."""
    return {**Redaction().values(dict(values), kept_keys=_OWN_WORDS), "redacted": True}


def has_errors(diagnosis: Diagnosis) -> bool:
    """Return whether anything is wrong that is more than a warning."""
    all_diagnosed = (diagnosed for cause in diagnosis.causes for diagnosed in (cause, *cause.consequences))
    return any(diagnosed_cause.cause.severity == "error" for diagnosed_cause in all_diagnosed)


def has_unknown_errors(diagnosis: Diagnosis) -> bool:
    """Return whether nothing is known of these logs, and yet lines of them are of level error."""
    return not diagnosis.causes and any(unusual_line.is_error for unusual_line in diagnosis.unrecognised)


def _with_consequences(diagnosed: DiagnosedCause) -> dict[str, Any]:
    return {**_cause(diagnosed), "consequences": [_cause(consequence) for consequence in diagnosed.consequences]}


def _cause(diagnosed: DiagnosedCause) -> dict[str, Any]:
    cause = diagnosed.cause
    return {
        "cause": cause.id,
        "title": cause.title,
        "severity": cause.severity,
        "kind": cause.kind,
        "signature": diagnosed.evidence[0].signature,
        "signatures": list(dict.fromkeys(hit.signature for hit in diagnosed.evidence)),
        "confidence": diagnosed.confidence,
        "count": diagnosed.count,
        "nodes": diagnosed.by_node,
        "first_seen": _time(diagnosed.first_seen),
        "last_seen": _time(diagnosed.last_seen),
        "evidence": [_line(hit) for hit in diagnosed.evidence],
        "explanation": cause.explanation,
        "facts": list(diagnosed.facts),
        "share": _share(diagnosed.share),
        "remedy": cause.remedy,
        "source": cause.source,
    }


def _share(share: NodeShare | None) -> dict[str, Any] | None:
    if share is None:
        return None
    return {"nodes": share.nodes, "of": share.of, "too_short": share.too_short, "since": share.since}


def _conflict(conflict: VersionsInConflict) -> dict[str, Any]:
    incompatibility = conflict.incompatibility
    finding = incompatibility.finding()
    return {
        "case": incompatibility.case,
        "severity": finding.severity,
        "file": conflict.file,
        "versions": {name: version.shown for name, version in incompatibility.versions.items()},
        "explanation": finding.message,
        "remedy": finding.remedy,
        "source": finding.source,
    }


def _line(hit: Hit) -> dict[str, Any]:
    return {
        "file": hit.file,
        "line": hit.line,
        "text": hit.text,
        "node": hit.node,
        "time": _time(hit.time),
        "at": _place(hit),
    }


def _place(hit: Hit) -> int | None:
    """Return where in a long line what its signature looks for begins; None where it is short, or found otherwise."""
    known = signatures().get(hit.signature)
    if known is None or len(hit.text) < _LONG:
        return None
    text = hit.text.encode()
    match = compile_pattern(known[0].expression.encode()).search(text)
    return len(text[: match.start()].decode("utf-8", "replace")) if match else None


def _not_asked(left: FilteredLines | None) -> dict[str, Any] | None:
    if left is None:
        return None
    return {
        "by_period": left.by_period,
        "oldest": _time(left.oldest),
        "newest": _time(left.newest),
        "by_node": left.by_node,
        "nodes": list(left.nodes),
        "asked_nodes": list(left.asked_nodes),
        "since": _time(left.since),
        "until": _time(left.until),
        "logs_by_period": left.logs_by_period,
        "logs_by_node": left.logs_by_node,
    }


def _time(time: dt.datetime | None) -> str | None:
    if time is None:
        return None
    return time.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
