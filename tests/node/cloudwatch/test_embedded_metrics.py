"""Lines in CloudWatch's embedded metric format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.doubles import START
from trainyard_node.embedded_metrics import MetricBatch, MetricValues, lines

SIMPLE = MetricBatch(
    "ParallelCluster/llm/GPU", {"InstanceId": "i-1", "GPU": "0"}, [MetricValues("GPUUtilization", "Percent", (7,))]
)
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
MOST_METRICS, MOST_VALUES, MOST_BYTES = 100, 100, 1_000_000


def events(batch: MetricBatch) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(batch, START)]


def values_of(event: dict[str, Any], name: str) -> list[float]:
    found = event[name]
    return found if isinstance(found, list) else [found]


def test_an_event_is_what_the_specification_says():
    assert events(SIMPLE) == [
        {
            "_aws": {
                "Timestamp": 1795262400000,
                "CloudWatchMetrics": [
                    {
                        "Namespace": "ParallelCluster/llm/GPU",
                        "Dimensions": [["InstanceId", "GPU"]],
                        "Metrics": [{"Name": "GPUUtilization", "Unit": "Percent"}],
                    }
                ],
            },
            "InstanceId": "i-1",
            "GPU": "0",
            "GPUUtilization": 7,
        }
    ]


def test_a_metric_of_the_whole_cluster_has_one_set_of_no_dimensions():
    (event,) = events(SIMPLE._replace(dimensions={}))
    assert event["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]]


def test_each_event_is_one_line():
    (line,) = lines(SIMPLE._replace(dimensions={"InstanceId": "i-1\ni-2\r"}), START)
    assert "\n" not in line
    assert json.loads(line)["InstanceId"] == "i-1_i-2"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_left_out(value: float):
    assert events(SIMPLE._replace(metrics=[MetricValues("a", "None", (value,))])) == []
    (event,) = events(SIMPLE._replace(metrics=[MetricValues("a", "None", (value, 1.5)), MetricValues("b", "None", ())]))
    assert event["a"] == 1.5
    assert [metric["Name"] for metric in event["_aws"]["CloudWatchMetrics"][0]["Metrics"]] == ["a"]


@pytest.mark.parametrize(("value", "expected"), [("", "unknown"), (" :x", "x"), ("é", "_"), ("a" * 2000, "a" * 1024)])
def test_values_of_dimensions_are_what_cloudwatch_takes(value: str, expected: str):
    (event,) = events(SIMPLE._replace(dimensions={"Interface": value}))
    assert event["Interface"] == expected


def test_more_dimensions_than_cloudwatch_takes_are_a_bug():
    with pytest.raises(ValueError, match="31 dimensions"):
        events(SIMPLE._replace(dimensions={str(number): "x" for number in range(31)}))


@given(
    counts=st.lists(st.integers(0, 350), max_size=4),
    more=st.integers(0, 250),
)
def test_every_value_is_in_one_event_and_every_event_within_the_limits(counts: list[int], more: int):
    many = [MetricValues(f"m{at}", "Count", tuple(map(float, range(count)))) for at, count in enumerate(counts)]
    many += [MetricValues(f"n{at}", "Count", (float(at),)) for at in range(more)]
    made = events(SIMPLE._replace(metrics=many))
    for metric in many:
        having = [event for event in made if metric.name in event]
        assert [one for event in having for one in values_of(event, metric.name)] == list(metric.values)
    for event in made:
        (directive,) = event["_aws"]["CloudWatchMetrics"]
        named = [metric["Name"] for metric in directive["Metrics"]]
        assert 0 < len(named) <= MOST_METRICS
        assert set(named) == set(event) - {"_aws", "InstanceId", "GPU"}
        assert all(len(values_of(event, name)) <= MOST_VALUES for name in named)


def test_the_largest_event_is_below_what_cloudwatch_takes():
    value = -1.2345678901234567e-300
    full = [MetricValues(f"{at:0255}", "Gigabytes/Second", (value,) * MOST_VALUES) for at in range(MOST_METRICS)]
    dimensions = {f"{at:0255}": "x" * 1024 for at in range(1000, 1030)}
    (line,) = lines(MetricBatch("n" * 255, dimensions, full), START)
    assert len(line.encode()) < MOST_BYTES
