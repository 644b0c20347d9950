"""``trainyard plan`` on how much metrics there will be, and what they cost."""

from __future__ import annotations

import json

import pytest

from tests.monitoring.clusters import MIXED
from trainyard.monitoring.amp_price import amp_price


@pytest.fixture
def spec(tmp_path):
    def write(text: str) -> str:
        (tmp_path / "cluster.yaml").write_text(text)
        return "cluster.yaml"

    return write


def metrics(printed: str) -> list[str]:
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    first = lines.index("Metrics, with the fewest and with the most nodes")
    return lines[first + 1 : first + 6]


def test_series_samples_and_memory_are_shown_from_the_fewest_nodes_to_the_most(trainyard, spec):
    file = spec(MIXED.replace("MODE", "amp-only"))
    found = json.loads(trainyard("plan", file, "--json").out)["metrics"]
    least, most = found["least"], found["most"]
    assert (least["nodes"], most["nodes"]) == (4, 17)
    assert 0 < least["series"] < most["series"]
    assert least["samples_per_s"] == round(least["series"] / 30, 1)
    assert 0 < least["keeper_memory_mib"] < most["keeper_memory_mib"]
    assert metrics(trainyard("plan", file).out)[:2] == [
        "4 to 17 nodes that are scraped",
        f"{least['series']:,} to {most['series']:,} series",
    ]


def test_the_price_of_a_month_stands_beside_the_samples(trainyard, spec):
    file = spec(MIXED.replace("MODE", "amp-only"))
    printed = json.loads(trainyard("plan", file, "--json").out)
    prices = [amp_price(printed["metrics"][end]["series"] / 30, "us-east-1") for end in ("least", "most")]
    month = " to ".join(f"{price.usd_month:,.2f}" for price in prices if price)
    (line,) = [line for line in printed["cost"]["lines"] if line["what"] == "samples in Amazon Managed Prometheus"]
    assert f"USD {month} a month in all" in line["basis"]
    assert f"USD {month} a month in all" in trainyard("plan", file).out


def test_where_no_prices_are_public_those_of_another_region_are_named(trainyard, spec):
    file = spec(MIXED.replace("MODE", "amp-only").replace("us-east-1", "us-gov-west-1"))
    printed = json.loads(trainyard("plan", file, "--json").out)
    prices = [amp_price(printed["metrics"][end]["series"] / 30, "us-east-1") for end in ("least", "most")]
    month = " to ".join(f"{price.usd_month:,.2f}" for price in prices if price)
    (line,) = [line for line in printed["cost"]["lines"] if line["what"] == "Amazon Managed Prometheus"]
    assert line["basis"].startswith(
        f"no public source has the prices of us-gov-west-1; in us-east-1 it would be USD {month}"
    )


def test_what_the_catalog_does_not_know_is_said_to_be_unknown(trainyard, spec):
    file = spec(MIXED.replace("MODE", "amp-only").replace("c5n.18xlarge", "x99.large"))
    shown = metrics(trainyard("plan", file).out)
    assert shown[1].endswith("to unknown series")
    assert shown[4] == "What is unknown is of instance types that the catalog knows too little of."
    assert json.loads(trainyard("plan", file, "--json").out)["metrics"]["most"]["series"] is None


def test_a_cluster_that_measures_nothing_has_no_metrics(trainyard, spec):
    ran = trainyard("plan", spec(MIXED.replace("MODE", "none")))
    assert "Metrics, with" not in ran.out
    assert json.loads(trainyard("plan", "cluster.yaml", "--json").out)["metrics"] is None
