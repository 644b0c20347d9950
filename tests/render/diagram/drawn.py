"""Specs to be drawn, by name, and their pictures."""

from __future__ import annotations

from tests.render.diagram.nasty import NASTY
from trainyard.architectures import all_architectures
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.spec.parsing import parse

SPECS = {architecture.name: architecture.text for architecture in all_architectures()} | NASTY


def drawn(text: str) -> str:
    """Return the picture of a spec."""
    return architecture_svg(parse(text, "cluster.yaml").spec)
