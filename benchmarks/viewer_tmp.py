"""Measures how long a dashboard of the viewer takes in the browser, against 1,000 nodes. It is run by hand.

From the start of the navigation until the frame with the last panel is drawn, as the browser's own clock has it. The
browser runs, and has an empty tab open that has come to rest, as that of somebody who then enters the address. Every
round opens every dashboard once, in a profile without a cache and with a viewer of its own, so that nothing is
remembered from the round before: neither files, nor compiled scripts, nor answers. Processor time, of Prometheus, the
viewer and the browser with their helpers together, tells what a busy machine would take by itself.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser import chromium
from tests.monitoring.prometheus import real_prometheus
from viewer_data import FOLDER, thousand_nodes

from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.server import Viewer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

_DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))"
_COMPLETE_MS = "performance.getEntriesByName('complete')[0].startTime"
_REST_S, _LONGEST_REST_S = 0.5, 10.0
_PANELS_MS = "[...document.querySelectorAll('[data-ms]')].map(one => [one.dataset.panel, Number(one.dataset.ms)])"


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--panels", action="store_true", help="also print the three slowest panels of each")
    given = options.parse_args()
    end_s = thousand_nodes()
    times: dict[str, list[tuple[float, float]]] = {one.id: [] for one in dashboards()}
    with real_prometheus(FOLDER, {}) as prometheus, chromium() as browser:
        api = PrometheusApi(Connection(prometheus.url))
        nodes = len(api.query('up{job="node"}', end_s))
        print(f"{nodes} nodes; load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        for number in range(given.rounds + 1):
            for name, measured in times.items():
                seconds, processor_s, slowest = opened(browser, api, f"{name}?to={end_s}")
                if number:  # the first round warms the caches of the operating system
                    measured.append((seconds, processor_s))
                if given.panels and number == given.rounds:
                    print(name, slowest, file=sys.stderr)
    for name, measured in times.items():
        seconds, processor_s = (sorted(one) for one in zip(*measured, strict=True))
        told = (statistics.median(seconds), seconds[0], statistics.median(processor_s))
        print(f"| `{name}` | {' | '.join(f'{one:.2f} s' for one in told)} |")
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)


def opened(browser: Browser, api: PrometheusApi, target: str) -> tuple[float, float, dict[str, int]]:
    """Return how long a dashboard took, by the clock and of processors, in seconds, and its slowest panels, in ms."""
    with serving(api) as url:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        before_s = rested()
        page.goto(f"{url}{target}")
        page.wait_for_selector("body[data-complete]", state="attached", timeout=120_000)
        page.evaluate(_DRAWN)
        if errors := page.locator(".message.error").all_inner_texts():
            print(f"{target}: {errors[0][:200]}", file=sys.stderr)
        processor_s = processor_time_s() - before_s
        seconds = page.evaluate(_COMPLETE_MS) / 1000
        panels = dict(page.evaluate(_PANELS_MS))
        page.close()
    return seconds, processor_s, dict(sorted(panels.items(), key=lambda one: -one[1])[:3])


def rested() -> float:
    """Wait until the browser has done what a new tab makes it do. Return the processor time used until then."""
    before_s, now_s = -1.0, processor_time_s()
    until = time.monotonic() + _LONGEST_REST_S
    while now_s - before_s > _REST_S / 50 and time.monotonic() < until:
        time.sleep(_REST_S)
        before_s, now_s = now_s, processor_time_s()
    return now_s


def processor_time_s() -> float:
    """Return what this process and all that it started, and that lives, have used so far."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sum(seconds for process, seconds in used.items() if os.getpid() in ancestry(process, parents))


def ancestry(process: int, parents: dict[int, int]) -> Iterator[int]:
    """Yield a process, its parent, and so on."""
    while process:
        yield process
        process = parents.get(process, 0)


@contextmanager
def serving(api: PrometheusApi) -> Iterator[str]:
    """Run a viewer that remembers nothing."""
    viewer = Viewer(api)
    thread = threading.Thread(target=viewer.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield viewer.url
    viewer.shutdown()
    viewer.server_close()
    thread.join()


if __name__ == "__main__":
    main()
