"""Measures what the evaluation of all rules takes of a processor each minute, with 1,000 nodes. It is run by hand.

A quarter of an hour of the life of tests/monitoring/life is written to a real Prometheus, which is then asked for each
rule some times, at its end, as it would evaluate it: what is recorded first and written back, and then the alerts. The
figure is what its process has used of processors for as many evaluations as there are in a minute; that it also writes
each answer as JSON comes on top of what rules take. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.monitoring.life.cluster import Life
from tests.monitoring.life.lived import CONFIG, OPTIONS, patient_api, record
from tests.monitoring.life.samples import STEP_S, life_series
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.promql import asked_metrics
from tests.monitoring.remote_write import write

from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.monitoring.prometheus_config import EVALUATION_INTERVAL_S
from trainyard.monitoring.prometheus_rules import alert_rules, recording_groups

_LENGTH_M = 15


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=1000, choices=(24, 128, 1000))
    options.add_argument("--repeats", type=int, default=3, help="how often each rule is asked for, after a first time")
    options.add_argument("--slowest", type=int, default=5, help="how many rules to name")
    options.add_argument("--prometheus", default="prometheus", help="the server's program")
    given = options.parse_args()
    now_s = int(time.time()) // STEP_S * STEP_S
    life = Life(given.nodes, healthy=True, length_m=_LENGTH_M, start_s=now_s - 60 * _LENGTH_M)
    with (
        tempfile.TemporaryDirectory() as folder,
        real_prometheus(Path(folder), CONFIG, *OPTIONS, named=given.prometheus) as prometheus,
    ):
        api = patient_api(prometheus)
        write(prometheus.url, life_series(life, life.start_s, life.end_s, asked_metrics().__contains__))
        record(api, life.start_s, life.end_s)
        series = sum(found.value for found in api.query('count({__name__!=""})', life.end_s - 1))
        measured: dict[str, Counter[str]] = {"recorded": Counter(), "alerts": Counter()}
        for kind, groups in (("recorded", recording_groups()), ("alerts", alert_rules()["groups"])):
            for group in groups:
                for rule in group["rules"]:
                    taken_s = seconds_of(prometheus, api, rule["expr"], life.end_s - 1, given.repeats)
                    # Rules of events have one name together.
                    measured[kind][rule.get("record") or rule["alert"]] += taken_s * 60 / interval_s(group)
    print(f"\n{given.nodes} nodes, {series:.0f} series, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| What | Names | Processor time a minute |\n|---|---|---|")
    for name, seconds in measured.items():
        print(f"| {name} | {len(seconds)} | {seconds.total():.2f} s |")
        for id_, taken_s in seconds.most_common(given.slowest):
            print(f"|   {id_} | | {taken_s:.2f} s |")


def seconds_of(prometheus: Prometheus, api: PrometheusApi, expr: str, at_s: float, repeats: int) -> float:
    """Return what the server's process uses of processors for a query, on average."""
    api.query(expr, at_s)
    before_s = processor_time_s(prometheus)
    for _ in range(repeats):
        api.query(expr, at_s)
    return (processor_time_s(prometheus) - before_s) / repeats


def interval_s(group: Mapping[str, Any]) -> int:
    """Return how often a group is evaluated, which is said in minutes."""
    return 60 * int(group["interval"].removesuffix("m")) if "interval" in group else EVALUATION_INTERVAL_S


def processor_time_s(prometheus: Prometheus) -> float:
    """Return what the threads of the server have used so far: Go's never end."""
    port = prometheus.url.rpartition(":")[2]
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"--web.listen-address=127.0.0.1:{port}".encode() in file.read_bytes():
                # The first field is nanoseconds: https://docs.kernel.org/scheduler/sched-stats.html
                threads = file.parent.glob("task/*/schedstat")
                return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
        except OSError:  # it has just ended
            continue
    raise SystemExit("the server has ended")


if __name__ == "__main__":
    main()
