"""All plots of a report: for its page, and as files of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from trainyard.bench.report.heat_maps import heat_maps
from trainyard.bench.report.scaling_plot import scaling_plot
from trainyard.bench.report.size_plots import bandwidth_plot, time_plot

_NO_PART_OF_A_NAME = re.compile(r"[^a-z0-9]+")


class Plots(NamedTuple):
    """The pictures, as SVG elements without their style."""

    sizes: list[tuple[ET.Element, ET.Element]]
    """Bandwidth and time of each chart."""
    scaling: list[ET.Element]
    nodes: list[ET.Element]


def plots(values: Mapping[str, Any]) -> Plots:
    """Return all plots of a report's values."""
    names = {one["number"]: one["name"] for one in values["runs"]}
    return Plots(
        [(bandwidth_plot(chart, names), time_plot(chart, names)) for chart in values["charts"]],
        [scaling_plot(series) for series in values["scaling"]],
        list(heat_maps(values["nodes"])),
    )


def plot_files(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the plots by file name, each a whole SVG document."""
    drawn = plots(values)
    pictures = [*(one for both in drawn.sizes for one in both), *drawn.scaling, *drawn.nodes]
    return {f"{at:02}-{_name(picture)}.svg": _document(picture) for at, picture in enumerate(pictures, 1)}


def _name(picture: ET.Element) -> str:
    title = picture.findtext("title") or ""
    return _NO_PART_OF_A_NAME.sub("-", title.lower()).strip("-")[:80]


def _document(picture: ET.Element) -> str:
    whole = deepcopy(picture)
    style = ET.Element("style")
    style.text = Path(__file__).with_name("plot.css").read_text(encoding="utf-8")
    whole.insert(0, style)
    _, _, width, height = whole.get("viewBox", "0 0 0 0").split()
    whole.attrib.update({"width": width, "height": height})
    return f"{ET.tostring(whole, encoding='unicode')}\n"
