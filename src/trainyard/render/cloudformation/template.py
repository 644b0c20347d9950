"""The templates of this package, as they stand in their files, with the texts that are made elsewhere filled in."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path as FilePath

from trainyard.bootstrap.launcher import follow_releases
from trainyard.document.write import yaml_text
from trainyard.monitoring.alertmanager_config import amp_definition
from trainyard.monitoring.prometheus_rules import alert_rules, recording_rules
from trainyard.render.cloudformation.stack import Kind

# A line that ends so begins a literal block of YAML, which is empty in the file: what belongs there is a document of
# its own, which comes below the line as text.
_SLOT = "|  # slot: "


@cache
def template(kind: Kind) -> str:
    """Return the text of a template, comments and all."""
    return "".join(_filled(FilePath(__file__).with_name(f"{kind}.yaml").read_text(encoding="utf-8")))


def _filled(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield line
        if _SLOT in line:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            yield textwrap.indent(_SLOTS[line.partition(_SLOT)[2].strip()](), indent)


def _alert_rules() -> str:
    return yaml_text(alert_rules(), blocks=True)


def _recording_rules() -> str:
    return yaml_text(recording_rules(), blocks=True)


def _alertmanager() -> str:
    return amp_definition("${AlertTopic}", "${AWS::Region}")


_SLOTS: dict[str, Callable[[], str]] = {
    "alert-rules": _alert_rules,
    "alertmanager": _alertmanager,
    "recording-rules": _recording_rules,
    "follow-releases": follow_releases,
}
"""What belongs into each slot. Fn::Sub is around the Alertmanager's, and knows the names in braces."""
