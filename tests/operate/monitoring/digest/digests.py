"""A Prometheus that answers the digest's questions, each by its words."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.edge.prometheus_api import Labels, Sample, Series
from trainyard.errors import TrainyardError

HOSTILE = '<img src=x onerror=alert(1)>\u202e`"\n'
Answer = list[tuple[Labels, float]]


@dataclass
class AnsweringSource(FakeSource):
    """Gives what ``answers`` has for the first word that stands in an expression, and nothing otherwise."""

    answers: dict[str, Answer | TrainyardError] = field(default_factory=dict)

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        self.instants.append(expr)
        found = next((answer for word, answer in self.answers.items() if word in expr), [])
        if isinstance(found, TrainyardError):
            raise found
        return [Sample(labels, at_s or 0.0, value) for labels, value in found]

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        self.ranges.append((expr, start_s, end_s, step_s))
        found = self.query(expr, end_s)
        times = (start_s, (start_s + end_s) / 2, end_s)
        return [Series(sample.labels, [(at, sample.value) for at in times]) for sample in found]


def a_week() -> AnsweringSource:
    """Return a week of sixteen nodes of which a fifth stood idle, and of which two failed."""
    p5 = {"instance_type": "p5.48xlarge"}
    return AnsweringSource(
        answers={
            "sum_over_time(count by (instance_type) (up": [(p5, 16 * 1008.0)],
            "max by (instance_type, instance_id)": [(p5, 16 * 1008.0 / 5)],
            "resets(": [({}, 2.0)],
            "slurm_gpus_alloc": [({}, 0.75)],
            "slurm_jobs_node_fail": [({}, 1.0)],
            "gpu_sm_clock_hertz": [
                ({"node_name": "ip-10-0-0-2", "queue": "gpu"}, 0.95),
                ({"node_name": "ip-10-0-0-1", "queue": "gpu"}, 0.7),
            ],
            "gpu:xid:max": [({"node_name": HOSTILE, "gpu": "3"}, 79.0)],
            "ALERTS": [({"alertname": "gpu-hot", "severity": "warning"}, 3.5)],
        }
    )
