"""An hour of 1,000 nodes in the data of a Prometheus: the p5 cluster of the tests, its compute nodes made many."""

from __future__ import annotations

import random
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.monitoring.an_hour import LENGTH_S, an_hour, write_blocks  # noqa: E402 - found where the line above says
from tests.monitoring.whole_cluster.nodes import COMPUTE, Node  # noqa: E402 - as above

from trainyard.edge.prometheus_api import PrometheusApi  # noqa: E402 - as above
from trainyard.edge.prometheus_connection import Connection  # noqa: E402 - as above
from trainyard.monitoring.dashboard import dashboards  # noqa: E402 - as above
from trainyard.operate.monitoring.viewer.panel_queries import node_series, recorded_totals  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.edge.prometheus_api import Series

FOLDER = ROOT / ".make" / "viewer-benchmark"
NODES = 1000
# Twice as long as nodes are scraped: half as much to write, and an hour of it all the same.
STEP_S = 60
_WORD = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_TEMPLATE, *_OTHERS = COMPUTE


def thousand_nodes(folder: Path = FOLDER) -> int:
    """Make the data, unless they are there. Return when the hour ends, in seconds since 1970."""
    marker = folder / "end"
    if not marker.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as small, an_hour(Path(small)) as hour:
            api = PrometheusApi(Connection(hour.prometheus.url))
            end_s = hour.end_s // STEP_S * STEP_S
            write_blocks(folder, _samples(api, end_s))
        marker.write_text(str(end_s))
    return int(marker.read_text())


def _samples(api: PrometheusApi, end_s: int) -> Iterator[str]:
    queries = [query.expr for one in dashboards() for panel in one.panels() for query in panel.queries]
    queries += recorded_totals().values()
    wanted = {word for text in queries for word in _WORD.findall(text)} | {"ALERTS", *node_series().values()}
    for name in sorted(wanted & set(api.label_values("__name__"))):
        print(f"  {name}", file=sys.stderr)
        for series in api.query_range(name, end_s - LENGTH_S, end_s, STEP_S):
            yield from _many(series)


def _many(series: Series) -> Iterator[str]:
    """Yield a series of the node that stands for all once for each of them; of the head and login nodes as they are."""
    if _tells_of(series, _TEMPLATE):
        for number in range(1, NODES + 1):
            yield _lines(series, number)
    elif not any(_tells_of(series, node) for node in _OTHERS):
        yield _lines(series, None)


def _tells_of(series: Series, node: Node) -> bool:
    """Return whether a series is of a node, or of a head node that tells of it."""
    return not {_host(node), _instance_id(node), node.slurm_name}.isdisjoint(series.labels.values())


def _host(node: Node) -> str:
    return f"ip-10-0-16-{node.number}"


def _instance_id(node: Node) -> str:
    return f"i-{node.number:017x}"


def _lines(series: Series, number: int | None) -> str:
    labels = dict(series.labels)
    name = labels.pop("__name__")
    factor = 1.0
    if number is not None:
        labels = {key: _renamed(key, value, number) for key, value in labels.items()}
        factor = random.Random(f"{name} {number}").uniform(0.8, 1.0)  # noqa: S311  no secret
    told = ",".join(f'{key}="{value}"' for key, value in labels.items())
    head = f"{name}{{{told}}}"
    return "".join(f"{head} {_value(value, factor):.10g} {at_s:.0f}\n" for at_s, value in series.points)


def _renamed(key: str, value: str, number: int) -> str:
    if key == "UUID":
        return f"{value}-{number}"
    host = f"10-{number // 65536}-{number // 256 % 256}-{number % 256}"
    return (
        value.replace(_TEMPLATE.slurm_name, f"gpu-st-p5-48xlarge-{number}")
        .replace(_host(_TEMPLATE), f"ip-{host}")
        .replace(f"10.0.16.{_TEMPLATE.number}", host.replace("-", "."))
        # The head node and the login node have the low numbers.
        .replace(_instance_id(_TEMPLATE), f"i-{0x100000 + number:017x}")
    )


def _value(value: float, factor: float) -> float:
    """Return it a little smaller, but for what means yes or no."""
    return value if value in {0.0, 1.0} else value * factor


if __name__ == "__main__":
    print(thousand_nodes())
