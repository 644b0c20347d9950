"""Measures how long a dashboard of the viewer takes in the browser, against 1,000 nodes. It is run by hand.

The page of a job is that of the job with the most nodes, and that of a node is of one of its nodes.

From the start of the navigation until the frame with the last panel is drawn, as the browser's own clock has it. The
browser runs, and has an empty tab open that has come to rest, as that of somebody who then enters the address. Every
round opens every dashboard once, in a profile without a cache and with a viewer of its own, so that nothing is
remembered from the round before: neither files, nor compiled scripts, nor answers. Processor time, of Prometheus, the
viewer and the browser with their helpers, tells what a busy machine would take by itself.
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
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

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

# Whose processor time a program's is. Playwright's, which tells the browser what to do, counts as the viewer's.
_PROGRAMS = {"prometheus": "Prometheus", "chrom": "browser"}
PARTS = ("Prometheus", "viewer", "browser")
_DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))"
_COMPLETE_MS = "performance.getEntriesByName('complete')[0].startTime"
_REST_S, _LONGEST_REST_S = 0.5, 10.0
_PANELS_MS = "[...document.querySelectorAll('[data-ms]')].map(one => [one.dataset.panel, Number(one.dataset.ms)])"


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--panels", action="store_true", help="also print the slowest panels of each")
    options.add_argument("--prometheus", default="prometheus", help="the program, if not that of the PATH")
    options.add_argument("--only", nargs="+", default=[one.id for one in dashboards()], help="dashboards")
    given = options.parse_args()
    end_s = thousand_nodes()
    times: dict[str, list[tuple[float, dict[str, float]]]] = {name: [] for name in given.only}
    with real_prometheus(FOLDER, {}, named=given.prometheus) as prometheus, chromium() as browser:
        api = PrometheusApi(Connection(prometheus.url))
        chosen = largest_job(api, end_s)
        nodes = len(api.query('up{job="node"}', end_s))
        print(f"{nodes} nodes; {chosen}; load {os.getloadavg()[0]:.1f}", file=sys.stderr)
        for number in range(given.rounds + 1):
            for name, measured in times.items():
                query = urlencode({"to": end_s, **chosen.get(name, {})})
                seconds, processor_s, slowest = opened(browser, api, f"{name}?{query}")
                if number:  # the first round warms the caches of the operating system
                    measured.append((seconds, processor_s))
                if given.panels and number == given.rounds:
                    print(name, slowest, file=sys.stderr)
    print("| Dashboard | Median | Best | Processor time | of Prometheus | of the viewer | of the browser |")
    for name, measured in times.items():
        clock_s = [one for one, _ in measured]
        parts = [statistics.median(one[part] for _, one in measured) for part in PARTS]
        told = (statistics.median(clock_s), min(clock_s), sum(parts), *parts)
        print(f"| `{name}` | {' | '.join(f'{one:.2f} s' for one in told)} |")
    print(f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)


def largest_job(api: PrometheusApi, end_s: int) -> dict[str, dict[str, str]]:
    """Return what is chosen on the pages about one: the job with the most nodes, and one of these."""
    jobs = Counter(sample.labels["jobid"] for sample in api.query("node:job:max", end_s))
    job = max(jobs, key=jobs.__getitem__)
    node = api.query(f'node:job:max{{jobid="{job}"}}', end_s)[0].labels["node_name"]
    return {"job": {"job": job}, "node": {"node": node}}


def opened(browser: Browser, api: PrometheusApi, target: str) -> tuple[float, dict[str, float], dict[str, int]]:
    """Return how long a dashboard took, by the clock and of processors, in seconds, and its slowest panels, in ms."""
    with serving(api) as url:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        before_s = rested()
        page.goto(f"{url}{target}")
        page.wait_for_selector("body[data-complete]", state="attached", timeout=120_000)
        page.evaluate(_DRAWN)
        if errors := page.locator(".message.error").all_inner_texts():
            raise SystemExit(f"{target}: {errors[0]}")
        processor_s = {part: seconds - before_s[part] for part, seconds in processor_time_s().items()}
        seconds = page.evaluate(_COMPLETE_MS) / 1000
        panels = dict(page.evaluate(_PANELS_MS))
        page.close()
    return seconds, processor_s, dict(sorted(panels.items(), key=lambda one: -one[1])[:8])


def rested() -> dict[str, float]:
    """Wait until the browser has done what a new tab makes it do. Return the processor time used until then."""
    before_s, now_s = dict.fromkeys(PARTS, 0.0), processor_time_s()
    until = time.monotonic() + _LONGEST_REST_S
    while sum(now_s.values()) - sum(before_s.values()) > _REST_S / 50 and time.monotonic() < until:
        time.sleep(_REST_S)
        before_s, now_s = now_s, processor_time_s()
    return now_s


def processor_time_s() -> dict[str, float]:
    """Return what this process and all that it started, and that lives, have used so far, by part."""
    parents: dict[int, int] = {}
    used: dict[int, tuple[str, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            head, _, rest = stat.read_text().rpartition(")")
            fields = rest.split()
            parents[int(stat.parent.name)] = int(fields[1])
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            used[int(stat.parent.name)] = (head.partition("(")[2], seconds)
    times_s = dict.fromkeys(PARTS, 0.0)
    for process, (program, seconds) in used.items():
        if os.getpid() in ancestry(process, parents):
            part = next((part for start, part in _PROGRAMS.items() if program.startswith(start)), "viewer")
            times_s[part] += seconds
    return times_s


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
