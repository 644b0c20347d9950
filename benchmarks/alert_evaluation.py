"""Measures what one evaluation of all rules takes of a processor, with 1,000 nodes. It is run by hand.

A quarter of an hour of the life of tests/monitoring/life is written to a real Prometheus, which is then asked for each
rule once, at its end, as it would evaluate it: what is recorded first and written back, and then the alerts. What its
process has used of processors is the figure; that it also writes each answer as JSON comes on top of what rules take.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.monitoring.life.cluster import Life
from tests.monitoring.life.lived import CONFIG, OPTIONS, patient_api, record
from tests.monitoring.life.samples import STEP_S, life_series
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.promql import asked_metrics
from tests.monitoring.remote_write import write

from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.prometheus_rules import recording_groups

_LENGTH_M = 15


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=1000, choices=(24, 128, 1000))
    options.add_argument("--slowest", type=int, default=5, help="how many rules to name")
    given = options.parse_args()
    now_s = int(time.time()) // STEP_S * STEP_S
    life = Life(given.nodes, healthy=True, length_m=_LENGTH_M, start_s=now_s - 60 * _LENGTH_M)
    with tempfile.TemporaryDirectory() as folder, real_prometheus(Path(folder), CONFIG, *OPTIONS) as prometheus:
        api = patient_api(prometheus)
        write(prometheus.url, life_series(life, life.start_s, life.end_s, asked_metrics().__contains__))
        record(api, life.start_s, life.end_s)
        series = sum(found.value for found in api.query('count({__name__!=""})', life.end_s - 1))
        recorded = [(rule["record"], rule["expr"]) for group in recording_groups() for rule in group["rules"]]
        measured = {
            name: {id_: seconds_of(prometheus, api, expr, life.end_s - 1) for id_, expr in rules}
            for name, rules in (("recorded", recorded), ("alerts", [(alert.id, alert.rule) for alert in alerts()]))
        }
    print(f"\n{given.nodes} nodes, {series:.0f} series, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| What | Rules | Processor time |\n|---|---|---|")
    for name, seconds in measured.items():
        print(f"| {name} | {len(seconds)} | {sum(seconds.values()):.2f} s |")
        for id_ in sorted(seconds, key=lambda one: -seconds[one])[: given.slowest]:
            print(f"|   {id_} | | {seconds[id_]:.2f} s |")


def seconds_of(prometheus: Prometheus, api: PrometheusApi, expr: str, at_s: float) -> float:
    """Return what the server's process uses of processors for a query."""
    before_s = processor_time_s(prometheus)
    api.query(expr, at_s)
    return processor_time_s(prometheus) - before_s


def processor_time_s(prometheus: Prometheus) -> float:
    """Return what the server's process has used so far, in steps of a hundredth of a second."""
    port = prometheus.url.rpartition(":")[2]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            command = stat.with_name("cmdline").read_bytes()
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if f"--web.listen-address=127.0.0.1:{port}".encode() in command:
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    raise SystemExit("the server has ended")


if __name__ == "__main__":
    main()
