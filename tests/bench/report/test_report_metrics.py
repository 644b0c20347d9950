"""Results of bandwidth tests as metrics."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from trainyard.bench.report.report_metrics import report_metrics
from trainyard.monitoring.registry import registry


def run(**values: Any) -> dict[str, Any]:
    return {
        "collective": "all_reduce", "instance_type": "p5.48xlarge", "nodes": 16, "ranks": 128, "began": None,
        "bandwidth_unit": "GB/s", "max_busbw_gb_s": 480.0, "expected_gb_s": 470.0, **values,
    }  # fmt: skip


def samples(*runs: dict[str, Any]) -> dict[str, float]:
    lines = report_metrics({"runs": list(runs)}).splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


LABELS = '{collective="all_reduce",tested_instance_type="p5.48xlarge",nodes="16",ranks="128"}'


def test_the_newest_run_of_each_kind_counts_in_whatever_order_they_come():
    old, new = run(began="2026-10-01T10:00:00Z"), run(began="2026-11-01T10:00:00Z", max_busbw_gb_s=420.0)
    assert samples(old, new) == samples(new, old)
    assert samples(new, old) == {
        f"trainyard_bench_busbw_bytes_per_second{LABELS}": 420e9,
        f"trainyard_bench_expected_busbw_bytes_per_second{LABELS}": 470e9,
        f"trainyard_bench_began_timestamp_seconds{LABELS}": 1793527200.0,
    }


@pytest.mark.parametrize("missing", ["max_busbw_gb_s", "collective"])
def test_a_run_that_measured_nothing_has_no_sample(missing: str):
    assert samples(run(**{missing: None})) == {}


@pytest.mark.parametrize("began", [None, "yesterday", "2026-11-01 10:00:00"])
def test_a_time_without_a_zone_is_not_told(began: str | None):
    assert not any("began" in name for name in samples(run(began=began)))


def test_gibibytes_are_counted_as_such():
    assert samples(run(bandwidth_unit="GiB/s", max_busbw_gb_s=1.0))[
        f"trainyard_bench_busbw_bytes_per_second{LABELS}"
    ] == pytest.approx(2**30)


def test_strange_files_make_no_more_than_so_many_series():
    assert len(samples(*(run(nodes=nodes) for nodes in range(1, 1000)))) == 400


def test_every_metric_is_in_the_registry_with_its_labels():
    text = report_metrics({"runs": [run(began="2026-11-01T10:00:00Z")]})
    told = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert told == {name for name in registry("timers") if name.startswith("trainyard_bench_")}


@pytest.mark.integration
def test_promtool_takes_it_also_with_hostile_names():
    promtool = shutil.which("promtool")
    assert promtool is not None
    text = report_metrics({"runs": [run(collective='x"} 1\n# "\\\ud800', began="2026-11-01T10:00:00Z")]})
    assert subprocess.run([promtool, "check", "metrics"], input=text, text=True, check=False).returncode == 0
