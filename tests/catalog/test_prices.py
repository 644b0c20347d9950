"""What things cost, and what is not known."""

from __future__ import annotations

import pytest

from trainyard.catalog import catalog_file, instances, prices

DATA = catalog_file.content(catalog_file.FOLDER / "prices.yaml")
REGIONS = ("us-east-1", "us-east-2", "us-west-2", "ap-northeast-1")


def usd(instance_type: str, region: str) -> float | None:
    price = prices.instance_hour(instance_type, region)
    return None if price is None else price.usd


@pytest.mark.parametrize(
    ("instance_type", "region", "expected"),
    [
        ("p5.48xlarge", "us-east-1", 55.04),
        ("p5.48xlarge", "ap-northeast-1", 68.8),
        ("p5en.48xlarge", "us-east-2", 63.296),
        ("p6-b200.48xlarge", "us-east-2", 113.9328),
        ("p4de.24xlarge", "us-east-1", 27.44705),
        ("trn1.32xlarge", "us-east-1", 21.5),
        ("m5.8xlarge", "ap-northeast-1", 1.984),
        ("t3.medium", "us-east-1", 0.0416),
    ],
)
def test_an_instance_costs_what_its_source_says(instance_type, region, expected):
    assert usd(instance_type, region) == expected


@pytest.mark.parametrize(
    ("instance_type", "region"),
    [
        ("p4de.24xlarge", "us-east-2"),  # not sold there
        ("p5e.48xlarge", "us-east-2"),  # in Capacity Blocks only
        ("trn2.48xlarge", "us-east-2"),
        ("t3.medium", "us-east-2"),
        ("p5.48xlarge", "eu-west-3"),
        ("p9.unknown", "us-east-1"),
        ("", "us-east-1"),
    ],
)
def test_a_price_that_no_source_gave_is_unknown(instance_type, region):
    assert usd(instance_type, region) is None


@pytest.mark.parametrize("region", REGIONS)
def test_only_instance_types_of_the_catalog_have_prices(region):
    priced = {name for facts in DATA["instances"][region].values() for name in facts}
    assert priced <= set(instances.names())


def test_prices_are_known_for_these_regions():
    assert prices.regions() == REGIONS


@pytest.mark.parametrize("section", ["instances", "services"])
def test_every_price_has_a_source_with_address_and_date(section):
    for region, facts in DATA[section].items():
        for names in facts.values():
            for name in names:
                price = (prices.instance_hour if section == "instances" else prices.service)(name, region)
                assert price is not None
                assert price.source.url.startswith("https://")


def test_every_source_of_a_price_is_used():
    used = {source for section in ("instances", "services") for facts in DATA[section].values() for source in facts}
    assert used == set(DATA["sources"])


def test_what_costs_the_same_everywhere_is_known_in_every_region():
    address = prices.service("public_ipv4_hour", "sa-east-1")
    assert address is not None
    assert address.usd == 0.005


def test_a_service_is_unknown_where_only_another_region_has_a_price():
    assert prices.service("nat_gateway_hour", "us-east-1") is not None
    assert prices.service("nat_gateway_hour", "ap-northeast-1") is None


def test_the_faster_lustre_costs_more():
    tiers = [prices.service(f"lustre_PERSISTENT_2_{rate}_gib_month", "us-east-1") for rate in (125, 250, 500, 1000)]
    assert [tier.usd for tier in tiers if tier is not None] == [0.145, 0.21, 0.34, 0.6]
