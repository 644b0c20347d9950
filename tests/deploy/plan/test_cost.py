"""What a cluster costs an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.specs import spec_of
from trainyard import architectures
from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.plan.cost_line import CostLine
from trainyard.spec.parsing import parse

FILES = sorted(Path(architectures.__file__).parent.glob("*.yaml"))
# What is deployed: AWS Batch is only rendered.
ARCHITECTURES = [file for file in FILES if not file.name.startswith("batch-")]
US = "region: us-east-1"
GROUP = "arn:aws:resource-groups:us-east-1:123456789012:group/g"


def cost(*parts: str) -> Cost:
    return hourly_cost(spec_of("\n".join(parts)))


def line(what: str, *parts: str) -> CostLine:
    return next(cost_line for cost_line in cost(*parts).lines if cost_line.what.startswith(what))


def queue(rest: str) -> str:
    return f"queues: [{{name: q, instance_type: p5.48xlarge, {rest}}}]"


def test_nodes_on_demand_cost_their_price_from_the_fewest_to_the_most():
    nodes = line("queue q", US, queue("nodes: {min: 1, max: 4}"))
    assert (nodes.least_usd_per_hour, nodes.most_usd_per_hour) == (55.04, 4 * 55.04)


@pytest.mark.parametrize("capacity", ["{reservation: cr-0123456789abcdef0}", f"{{reservation_group: '{GROUP}'}}"])
def test_reserved_nodes_are_paid_whether_they_run_or_not(capacity):
    nodes = line("queue q", US, queue(f"nodes: {{min: 0, max: 4}}, capacity: {capacity}"))
    assert nodes.least_usd_per_hour == nodes.most_usd_per_hour == 4 * 55.04
    assert "whether" in nodes.basis


def test_a_capacity_block_is_paid_in_advance_at_a_price_that_nobody_knows_here():
    estimate = cost(US, queue("nodes: 2, capacity: {capacity_block: cr-0123456789abcdef0}"))
    nodes = next(cost_line for cost_line in estimate.lines if cost_line.what.startswith("queue q"))
    assert nodes in estimate.unknown
    assert nodes.least == nodes.most == 2
    assert "in advance" in nodes.basis


def test_the_price_of_spot_is_unknown():
    assert line("queue q", US, queue("capacity: spot")).usd_per_hour_each is None


def test_the_price_of_one_of_several_types_is_unknown_unless_they_cost_the_same():
    several = "queues: [{{name: q, instance_types: [g5.8xlarge, {}]}}]"
    assert line("queue q", US, several.format("g6.8xlarge")).usd_per_hour_each is None
    assert line("queue q", US, several.format("g5.8xlarge")).usd_per_hour_each == 2.448


def test_the_root_volumes_of_the_nodes_come_and_go_with_them():
    volumes = line("root volumes of queue q", US, queue("nodes: {min: 0, max: 4}"))
    assert (volumes.least, volumes.most) == (0, 800)
    assert volumes.most_usd_per_hour == pytest.approx(800 * 0.08 / 730)


@pytest.mark.parametrize(
    ("volume", "usd_a_month"),
    [
        ("{size_gib: 100}", 8),
        ("{size_gib: 100, iops: 3000, throughput_mib_s: 125}", 8),
        ("{size_gib: 100, iops: 4000, throughput_mib_s: 225}", 8 + 5 + 4),
        ("{size_gib: 100, type: io2, iops: 1000}", 12.5 + 65),
        ("{size_gib: 100, type: gp2}", 10),
    ],
)
def test_a_volume_costs_its_size_and_what_is_provisioned_beyond_what_is_included(volume, usd_a_month):
    lines = cost(US, f"file_systems: [{{mount: /apps, ebs: {volume}}}]").lines
    assert sum((one.most_usd_per_hour or 0) * 730 for one in lines if "/apps" in one.what) == pytest.approx(usd_a_month)


def test_many_iops_of_io2_have_an_unknown_price():
    volume = "file_systems: [{mount: /apps, ebs: {size_gib: 1000, type: io2, iops: 64000}}]"
    assert line("IOPS of /apps", US, volume).usd_per_hour_each is None


def test_lustre_costs_by_size_and_throughput():
    fsx = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"
    assert line("/fsx", US, fsx).most_usd_per_hour == pytest.approx(4800 * 0.21 / 730)
    scratch = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, deployment: SCRATCH_2}}]"
    assert line("/fsx", US, scratch).most_usd_per_hour == pytest.approx(1200 * 0.14 / 730)


def test_openzfs_costs_by_size_and_throughput_of_which_there_is_a_least():
    home = "file_systems: [{mount: /home, openzfs: {size_gib: 512}}]"
    assert line("throughput of /home", US, home).most == 64
    assert line("/home", US, home).most_usd_per_hour == pytest.approx(512 * 0.09 / 730)
    two = "file_systems: [{mount: /home, openzfs: {size_gib: 512, deployment: SINGLE_AZ_HA_2}}]"
    assert line("/home", US, two).usd_per_hour_each is None


def test_efs_costs_by_what_is_stored_and_by_provisioned_throughput():
    efs = "file_systems: [{mount: /efs, efs: {throughput_mib_s: 100}}]"
    assert line("/efs", US, efs).usd_per_hour_each is None
    assert line("throughput of /efs", US, efs).most_usd_per_hour == pytest.approx(600 / 730)


def test_a_file_system_that_exists_costs_nothing_more():
    existing = "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]"
    assert not any("/fsx" in cost_line.what for cost_line in cost(US, existing).lines)


def test_a_network_of_its_own_has_a_gateway_and_an_existing_one_costs_nothing_more():
    assert line("NAT gateway", US).most_usd_per_hour == 0.045
    existing = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}"
    assert not any("gateway" in cost_line.what for cost_line in cost(US, existing).lines)


def test_a_network_without_internet_has_endpoints_of_unknown_price_instead():
    lines = [cost_line.what for cost_line in cost(US, "network: {internet: none}").lines]
    assert "interface endpoints" in lines
    assert "NAT gateway" not in lines


@pytest.mark.parametrize(
    ("mode", "known", "unknown"),
    [
        ("none", 0, 0),
        ("amp-only", 2, 0),
        ("amp+amg", 3, 0),
        ("self-hosting", 3, 0),
        ("self-hosting, volume_id: vol-0123456789abcdef0", 2, 0),
        ("self-hosting, certificate: 'arn:aws:acm:us-east-1:123456789012:certificate/1a2b'", 5, 0),
    ],
)
def test_monitoring_costs_what_its_mode_needs(mode, known, unknown):
    zones = "network: {availability_zone: us-east-1a, secondary_availability_zone: us-east-1b}"
    plain, with_mode = cost(US, zones), cost(US, zones, f"monitoring: {{mode: {mode}}}")
    more = [cost_line for cost_line in with_mode.lines if cost_line not in plain.lines]
    assert len([cost_line for cost_line in more if cost_line.usd_per_hour_each is not None]) == known
    assert len([cost_line for cost_line in more if cost_line.usd_per_hour_each is None]) == unknown


def test_login_nodes_cost_instances_addresses_and_a_load_balancer():
    pool = "login_nodes: {count: 2}"
    assert line("login nodes login", US, pool).most_usd_per_hour == 2 * 0.096
    assert line("addresses of login nodes", US, pool).most_usd_per_hour == 2 * 0.005
    assert line("load balancer of login nodes", US, pool).most_usd_per_hour == 0.0225


def test_a_private_head_node_without_an_address_pays_for_none():
    assert not any("address of the head" in cost_line.what for cost_line in cost(US).lines)
    assert line("address of the head node", US, "head_node: {subnet: public}").most == 1


def test_totals_hold_what_is_known_and_the_rest_is_listed():
    estimate = cost(US, queue("nodes: {min: 1, max: 2}, capacity: spot"))
    assert [cost_line.what for cost_line in estimate.unknown] == ["queue q, p5.48xlarge"]
    assert estimate.least_usd_per_hour < estimate.most_usd_per_hour < 3


def test_what_counts_nothing_is_not_unknown():
    assert not any("login" in cost_line.what for cost_line in cost(US, "login_nodes: {count: 0}").unknown)


def test_in_a_region_with_few_prices_the_rest_is_unknown():
    estimate = cost("region: ap-southeast-6")
    assert {cost_line.what for cost_line in estimate.lines} - {cost_line.what for cost_line in estimate.unknown} == {
        "NAT gateway",
        "address of the NAT gateway",
        "dashboards in CloudWatch",
    }


@pytest.mark.parametrize("file", ARCHITECTURES, ids=lambda file: file.stem)
def test_every_price_in_the_estimate_of_an_architecture_has_a_source(file):
    estimate = hourly_cost(parse(file.read_text(), file.name).spec)
    assert estimate.most_usd_per_hour > 1 or estimate.unknown
    for cost_line in estimate.lines:
        assert (cost_line.source is None) == (cost_line.usd_per_hour_each is None)
        assert cost_line.basis


def metrics(groups: str, nodes: str = "nodes: {min: 1, max: 4}", type_: str = "p5.48xlarge") -> tuple[str, str, str]:
    queues = f"queues: [{{name: q, instance_type: {type_}, {nodes}}}]"
    return (US, queues, f"monitoring: {{cloudwatch_metrics: [{groups}]}}")


@pytest.mark.parametrize(
    ("groups", "least", "most"),
    [
        ("system", 5 + 11, 5 + 4 * 11),
        ("gpu", 8 * 6, 4 * 8 * 6),
        ("efa", 6, 4 * 6),
        ("efa-interfaces", 192, 4 * 192),
        ("slurm", 8, 8),
        ("gpu, slurm", 8 * 6 + 8, 4 * 8 * 6 + 8),
    ],
)
def test_every_metric_in_cloudwatch_is_counted_before_it_costs(groups: str, least: int, most: int):
    counted = line("custom metrics", *metrics(groups))
    assert (counted.least, counted.most) == (least, most)
    assert counted.usd_per_hour_each == pytest.approx(0.3 / 730)


def test_the_estimate_says_which_group_has_how_many_metrics_and_what_they_cost_a_month():
    basis = line("custom metrics", *metrics("efa, efa-interfaces")).basis
    assert basis.startswith("USD 237.60 a month with the most nodes; efa 24, efa-interfaces 768 at most")


def test_login_nodes_have_metrics_of_the_system_too():
    spec = (*metrics("system", "nodes: {min: 0, max: 1}"), "login_nodes: {count: 2}")
    assert line("custom metrics", *spec).least == 5 + 2 * 11


def test_metrics_beyond_ten_thousand_cost_less():
    spec = metrics("efa-interfaces", "nodes: 100")
    assert line("custom metrics in CloudWatch", *spec).most == 10_000
    beyond = line("custom metrics in CloudWatch beyond 10,000", *spec)
    assert beyond.most == 19_200 - 10_000
    assert beyond.usd_per_hour_each == pytest.approx(0.1 / 730)


def test_metrics_cost_the_same_in_every_region_and_their_log_does_not():
    _, *rest = metrics("gpu")
    assert line("custom metrics", "region: us-west-2", *rest).usd_per_hour_each == pytest.approx(0.3 / 730)
    assert line("log of the metrics", "region: eu-central-1", *rest).usd_per_hour_each == pytest.approx(0.63 / 730)
    assert line("log of the metrics", US, *rest).usd_per_hour_each == pytest.approx(0.5 / 730)


def test_the_log_of_the_metrics_has_an_event_a_minute_for_each_gpu():
    one_node = line("log of the metrics", *metrics("gpu", "nodes: 1"))
    assert one_node.most == pytest.approx(8 * 646 * 730 * 60 / 1e9, abs=0.01)
    assert not [cost_line for cost_line in cost(*metrics("system")).lines if cost_line.what.startswith("log of")]


def test_without_metrics_in_cloudwatch_there_is_no_line_of_them():
    assert not [cost_line for cost_line in cost(US).lines if "metrics in CloudWatch" in cost_line.what]
    off = "monitoring: {logs: false, cloudwatch_metrics: [gpu]}"
    assert not [one for one in cost(US, queue("nodes: 1"), off).lines if "metrics in CloudWatch" in one.what]


@pytest.mark.parametrize(
    ("part", "dashboards"),
    [(queue("nodes: 1"), 4), ("queues: [{name: q, instance_type: m5.8xlarge}]", 3)],
    ids=["with-efa", "without"],
)
def test_dashboards_are_counted_with_parallelclusters_own(part: str, dashboards: int):
    cost_line = line("dashboards in CloudWatch", US, part)
    assert (cost_line.least, cost_line.most) == (dashboards, dashboards)
    assert cost_line.usd_per_hour_each == 3 / 730
    assert "first 3 of an account are free" in cost_line.basis


def test_without_dashboards_none_is_paid():
    assert not [one for one in cost("monitoring: {dashboard: false}").lines if one.what.startswith("dashboards")]


@pytest.mark.parametrize("platform", ["parallelcluster", "eks"])
def test_what_an_environment_has_is_not_counted_again_and_what_a_cluster_sends_there_is(platform: str):
    parts = (US, f"platform: {platform}", "environment: use1", queue("nodes: 1"))
    names = [cost_line.what for cost_line in cost(*parts, "monitoring: {mode: amp+amg}").lines]
    assert not any("NAT gateway" in name or "Managed Grafana" in name for name in names)
    assert any("Managed Prometheus" in name for name in names)


def test_the_instance_of_a_self_hosted_environment_is_not_counted_again():
    parts = (US, "environment: use1", "monitoring: {mode: self-hosting}", queue("nodes: 1"))
    assert not any("Grafana" in cost_line.what for cost_line in cost(*parts).lines)
