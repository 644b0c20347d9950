"""Starting a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.architectures import find_architecture
from trainyard.document.edit import with_settings
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterable


def new_spec(architecture: str, settings: Iterable[str] = ()) -> str:
    """Return the text of a spec that starts from a reference architecture, with ``path=value`` settings applied.

    Raises InputError for an unknown architecture or setting, SpecError where the result would be no spec.
    """
    text = find_architecture(architecture).text
    if settings := tuple(settings):
        text = with_settings(text, settings)
    parse(text, f"{architecture} with these settings")
    return text
