"""JSON as indented text, the same as json.dumps writes, whose encoder is slow as soon as it indents.

A bundle holds some 300 KB of dashboards, for which json.dumps takes three times as long.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import Any


def json_text(value: Any) -> str:
    """Return what ``json.dumps(value, indent=2, sort_keys=True)`` returns, of plain values whose keys are texts."""
    return _text(value, "\n")


def _text(value: Any, line: str) -> str:
    if type(value) is str:
        return encode_basestring_ascii(value)
    if type(value) is int:
        return str(value)
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    inner = line + "  "
    if isinstance(value, list):
        return f"[{','.join([inner + _text(item, inner) for item in value])}{line}]"
    members = [f"{inner}{encode_basestring_ascii(key)}: {_text(value[key], inner)}" for key in sorted(value)]
    return f"{{{','.join(members)}{line}}}"
