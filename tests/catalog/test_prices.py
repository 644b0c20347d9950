"""What things cost, and what is not known."""

from __future__ import annotations

import botocore.session
import pytest

from trainyard.catalog import catalog_file, instances, prices

DATA = catalog_file.content(catalog_file.FOLDER / "prices.yaml")
INSTANCES = catalog_file.json_content(catalog_file.FOLDER / "instance_prices.json")
SERVICES = catalog_file.json_content(catalog_file.FOLDER / "service_prices.json")
REGIONS = tuple(region for region in INSTANCES if region not in ("why", "sources"))
PLACES = {"everywhere", *REGIONS}
# Regions of which no public source at hand has the price of what a spec pays for in any region.
NEWEST = {"ap-east-2", "ap-southeast-5", "ap-southeast-7", "mx-central-1"}
UNKNOWN: dict[str, set[str]] = {
    "ebs_gp3_gib_month": NEWEST,
    "nat_gateway_hour": set(),
    "lustre_SCRATCH_2_gib_month": NEWEST | {"ca-west-1", "il-central-1"},
    "openzfs_SINGLE_AZ_1_gib_month": {"ap-southeast-4"},
    "efs_gib_month": set(),
    "application_load_balancer_hour": set(),
    "network_load_balancer_hour": set(),
    "interface_endpoint_hour": set(),
    "log_ingested_gb": set(),
    "public_ipv4_hour": set(),
    "custom_metric_month": set(),
}


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
        ("p5.48xlarge", "eu-north-1", 58.8928),
        ("m7g.large", "us-east-1", 0.0816),
        ("m5.large", "us-gov-west-1", 0.121),
        ("t3.medium", "mx-central-1", 0.0437),
        ("m7g.large", "eu-central-1", 0.0978),
        ("g6e.48xlarge", "ap-northeast-2", 37.04468),
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
        ("p6-b200.48xlarge", "eu-west-1"),
        ("m5.large", "ap-southeast-6"),
        ("m5.large", "sources"),
        ("p5.48xlarge", "eu-west-3"),
        ("p9.unknown", "us-east-1"),
        ("", "us-east-1"),
    ],
)
def test_a_price_that_no_source_gave_is_unknown(instance_type, region):
    assert usd(instance_type, region) is None


@pytest.mark.parametrize("region", REGIONS)
def test_only_instance_types_of_the_catalog_have_prices(region):
    priced = {name for facts in INSTANCES[region].values() for name in facts}
    assert priced <= set(instances.names())


def test_prices_are_known_in_more_than_the_regions_of_the_documents():
    assert prices.regions() == REGIONS
    assert {"us-east-1", "us-east-2", "us-west-2", "ap-northeast-1", "eu-north-1", "us-gov-west-1"} <= set(REGIONS)


def test_what_a_spec_pays_for_in_any_region_has_its_price_there_but_where_no_source_has_it():
    for what, unknown in UNKNOWN.items():
        assert {region for region in REGIONS if prices.service(what, region) is None} == unknown, what
    assert all(prices.instance_hour("t3.medium", region) for region in REGIONS)


def test_every_region_that_pays_in_dollars_has_prices_but_the_newest():
    session = botocore.session.get_session()
    known = {region for part in ("aws", "aws-us-gov") for region in session.get_available_regions("ec2", part)}
    assert known - set(REGIONS) == {"ap-southeast-6"}
    assert set(REGIONS) <= known


@pytest.mark.parametrize(
    ("section", "price_of"),
    [(INSTANCES, prices.instance_hour), (SERVICES, prices.service), (DATA["services"], prices.service)],
    ids=["instances", "services", "services looked up alone"],
)
def test_every_price_has_a_source_with_address_and_date(section, price_of):
    for region, facts in section.items():
        for name, value in (item for names in facts.values() for item in names.items()) if region in PLACES else ():
            price = price_of(name, region)
            assert price is not None
            assert price.usd == value
            assert price.source.url.startswith("https://")


def test_every_source_of_a_price_is_used():
    sections = ("capacity_blocks", "services")
    assert {source for section in sections for facts in DATA[section].values() for source in facts} == set(
        DATA["sources"]
    )
    for listed in (INSTANCES, SERVICES):
        assert {source for region in PLACES & listed.keys() for source in listed[region]} == set(listed["sources"])


def test_what_offers_of_capacity_blocks_have_been_is_a_range_with_a_source():
    seen = prices.capacity_block_hour("p5en.48xlarge", "us-east-2")
    assert seen is not None
    assert (seen.least_usd, seen.most_usd) == (36.18, 41.61)
    assert "2026" in seen.source.what
    dear = prices.capacity_block_hour("p5e.48xlarge", "us-west-1")
    assert dear is not None
    assert dear.least_usd == 49.75
    blackwell = prices.capacity_block_hour("p6-b200.48xlarge", "us-east-2")
    assert blackwell is not None
    assert blackwell.most_usd == 74.88
    assert prices.capacity_block_hour("trn2.48xlarge", "us-east-2") is None


def test_what_costs_the_same_everywhere_is_known_in_every_region():
    address = prices.service("public_ipv4_hour", "sa-east-1")
    assert address is not None
    assert address.usd == 0.005


def test_a_service_is_unknown_where_only_another_region_has_a_price():
    assert prices.service("amp_stored_gib_month", "us-east-1") is not None
    assert prices.service("amp_stored_gib_month", "eu-south-2") is None


def test_the_faster_lustre_costs_more():
    tiers = [prices.service(f"lustre_PERSISTENT_2_{rate}_gib_month", "us-east-1") for rate in (125, 250, 500, 1000)]
    assert [tier.usd for tier in tiers if tier is not None] == [0.145, 0.21, 0.34, 0.6]
