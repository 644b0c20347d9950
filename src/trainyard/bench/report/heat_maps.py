"""Nodes as tiles, pairs of nodes as a square, and the processes of each node by size: slow ones stand out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from os.path import commonprefix
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.bench.report.figures import share, size
from trainyard.counts import count_text
from trainyard.render.diagram.canvas import LINE, NAME, NOTE, number, text
from trainyard.render.markup import markup_text

Tile = tuple[float, float, float, float]

_WIDTH = 760
_TOP = 34
_COLUMNS = 16
_ROW_HEIGHT = 20
_NAMES_WIDTH = 150
# Beyond these, tiles are too small for words.
_MOST_PAIRED_HOSTS = 48
_MOST_LETTERED_HOSTS = 16
_MOST_SIZES = 24
# Shares of what the good ones reach, and how they look: from slow to as good as the best.
_LOOKS = ((0.6, "h0"), (0.75, "h1"), (0.85, "h2"), (0.93, "h3"), (0.97, "h4"))
_LEGEND = {
    "h0": "below 60 %",
    "h1": "60–75 %",
    "h2": "75–85 %",
    "h3": "85–93 %",
    "h4": "93–97 %",
    "h5": "from 97 %",
}


def heat_maps(nodes: Mapping[str, Any]) -> Iterator[ET.Element]:
    """Yield all of them that there are figures for."""
    for group in nodes["by_runs"]:
        yield _node_map(group)
        hosts = [host["host"] for host in group["hosts"]]
        if group["pairs"] and len(hosts) <= _MOST_PAIRED_HOSTS:
            yield _pair_map(group, hosts)
    for by_process in nodes["by_processes"]:
        yield _process_map(by_process)


def _node_map(group: Mapping[str, Any]) -> ET.Element:
    """Return a tile for each node, by the best run that it was in: a good run clears all its nodes."""
    hosts = group["hosts"]
    columns = min(_COLUMNS, max(len(hosts), 8))
    width, height = _WIDTH / columns, 30.0
    rows = ceil(len(hosts) / columns)
    title = f"{group['collective']}, {group['ranks']} ranks: each node in the best of its runs"
    svg = _picture(title, _TOP + rows * height + 34)
    in_common = _in_common([host["host"] for host in hosts])
    for at, entry in enumerate(hosts):
        place = (at % columns * width, _TOP + at // columns * height, width - 2, height - 2)
        about = f"{entry['host']}: {share(entry['best_share'])} of the good runs, in {count_text(entry['runs'], 'run')}"
        _tile(svg, place, _look(entry["best_share"]), about, entry["host"][in_common:])
    _legend(svg, _TOP + rows * height + 8)
    return svg


def _in_common(hosts: Sequence[str]) -> int:
    """Return how many letters all names begin with, up to a number or the end of a word: the rest tells them apart."""
    letters = commonprefix(hosts)  # noqa: RUF071  letters are what is meant
    return len(letters.rstrip("0123456789")) if len(hosts) > 1 else 0


def _pair_map(group: Mapping[str, Any], hosts: Sequence[str]) -> ET.Element:
    """Return a tile for each pair, by what the two have reached together."""
    side = min(34.0, (_WIDTH - _NAMES_WIDTH) / len(hosts))
    svg = _picture(f"{group['collective']}: pairs of nodes", _TOP + len(hosts) * side + 34)
    shares = {tuple(pair["hosts"]): pair["share"] for pair in group["pairs"]}
    for row, host in enumerate(hosts):
        y = _TOP + row * side
        text(svg, (_NAMES_WIDTH - 8, y + side / 2 + 4), host, LINE, _NAMES_WIDTH - 8, look="label", anchor="end")
        for column, other in enumerate(hosts):
            place = (_NAMES_WIDTH + column * side, y, side - 1, side - 1)
            reached = shares.get((host, other), shares.get((other, host)))
            if host != other:
                lettered = f"{reached * 100:.0f}" if reached and len(hosts) <= _MOST_LETTERED_HOSTS else ""
                look = "none" if reached is None else _look(reached)
                _tile(svg, place, look, f"{host} with {other}: {share(reached) or 'no run'}", lettered)
    _legend(svg, _TOP + len(hosts) * side + 8)
    return svg


def _process_map(processes: Mapping[str, Any]) -> ET.Element:
    """Return a tile for each node and size, by the time of its processes beside that of the other nodes."""
    sizes = processes["sizes_bytes"][-_MOST_SIZES:]
    width = (_WIDTH - _NAMES_WIDTH) / len(sizes)
    title = (
        f"Run {processes['run']}: time of each node's processes by the usual time; the colour says how near both are"
    )
    svg = _picture(title, _height(processes) + 52)
    for row, of_host in enumerate(processes["hosts"]):
        y = float(_TOP + row * _ROW_HEIGHT)
        text(svg, (_NAMES_WIDTH - 8, y + 14), of_host["host"], LINE, _NAMES_WIDTH - 8, look="label", anchor="end")
        for column, (size_bytes, ratio) in enumerate(zip(sizes, of_host["ratios"][-_MOST_SIZES:], strict=True)):
            about = f"{of_host['host']} at {size(size_bytes)}: {share(ratio)} of the usual time"
            look = _look(min(ratio, 1 / ratio) if ratio > 0 else 0.0)
            _tile(svg, (_NAMES_WIDTH + column * width, y, width - 1, _ROW_HEIGHT - 1), look, about, share(ratio))
    for column, size_bytes in enumerate(sizes):
        at = (_NAMES_WIDTH + (column + 0.5) * width, _height(processes) + 14)
        text(svg, at, size(size_bytes), NOTE, width, look="label", anchor="middle")
    _legend(svg, _height(processes) + 26)
    return svg


def _height(processes: Mapping[str, Any]) -> float:
    return float(_TOP + len(processes["hosts"]) * _ROW_HEIGHT)


def _picture(title: str, height: float) -> ET.Element:
    svg = ET.Element("svg", {"class": "plot", "role": "img", "xmlns": "http://www.w3.org/2000/svg"})
    svg.set("viewBox", f"0 0 {_WIDTH} {number(height)}")
    ET.SubElement(svg, "title").text = markup_text(title)
    text(svg, (0, 20), title, NAME, _WIDTH, look="heading")
    return svg


def _tile(svg: ET.Element, place: Tile, look: str, about: str, words: str) -> None:
    x, y, width, height = place
    names = ("x", "y", "width", "height")
    attributes = {name: number(value) for name, value in zip(names, place, strict=True)}
    tile = ET.SubElement(svg, "rect", {"class": f"tile {look}", **attributes})
    ET.SubElement(tile, "title").text = markup_text(about)
    if words and width > 26:
        text(svg, (x + width / 2, y + height / 2 + 4), words, NOTE, width - 4, look=f"on {look}", anchor="middle")


def _look(reached: float) -> str:
    return next((look for most, look in _LOOKS if reached < most), "h5")


def _legend(svg: ET.Element, y: float) -> None:
    for at, (look, words) in enumerate(_LEGEND.items()):
        _tile(svg, (at * 120.0, y, 18.0, 14.0), look, words, "")
        text(svg, (at * 120 + 24, y + 11), words, NOTE, 94, look="label")
