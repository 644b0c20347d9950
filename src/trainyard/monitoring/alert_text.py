"""Alerts in words, for people who read of one without being warned by it: templates without the values of a moment."""

from __future__ import annotations

import re

_LABEL = re.compile(r"{{ \$labels\.([a-z_]+) }}")
_VALUE = re.compile(r"{{ \$value(?: \| [A-Za-z]+)? }}")


def readable_template(template: str) -> str:
    """Return a template of Prometheus with the names of its labels in place of their values."""
    return _VALUE.sub("…", _LABEL.sub(lambda match: f"`{match[1].upper()}`", template))


def title(template: str) -> str:
    """Return the same for a heading, in which marks would be in the way."""
    return _VALUE.sub("…", _LABEL.sub(lambda match: f"<{match[1]}>", template))
