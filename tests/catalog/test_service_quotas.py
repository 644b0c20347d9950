"""Which quota instances count towards, and what AWS publishes about it."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from trainyard.catalog import service_quotas
from trainyard.catalog.instances import researched_names


@pytest.mark.parametrize(
    ("instance_type", "purchase", "name"),
    [
        ("p5.48xlarge", "on-demand", "on-demand-p"),
        ("p6-b200.48xlarge", "on-demand", "on-demand-p"),
        ("p6e-gb200.36xlarge", "on-demand", "on-demand-p"),
        ("p4d.24xlarge", "spot", "spot-p"),
        ("trn2.48xlarge", "on-demand", "on-demand-trn"),
        ("g5.12xlarge", "spot", "spot-g-and-vt"),
        ("gr6.4xlarge", "on-demand", "on-demand-g-and-vt"),
        ("m5.8xlarge", "on-demand", "on-demand-standard"),
        ("im4gn.large", "on-demand", "on-demand-standard"),
        ("t3.micro", "spot", "spot-standard"),
        ("hpc7a.96xlarge", "on-demand", "on-demand-hpc"),
    ],
)
def test_a_family_counts_towards_the_quota_of_its_letters(instance_type, purchase, name):
    quota = service_quotas.vcpu_quota(instance_type, purchase)
    assert quota is not None
    assert quota.name == name


@each_case("instance_type", researched_names())
def test_every_instance_type_of_the_catalog_has_an_on_demand_quota(instance_type):
    assert service_quotas.vcpu_quota(instance_type, "on-demand") is not None


@pytest.mark.parametrize(("instance_type", "purchase"), [("hpc7a.96xlarge", "spot"), ("p5.48xlarge", "capacity-block")])
def test_what_has_no_quota_has_none(instance_type, purchase):
    assert service_quotas.vcpu_quota(instance_type, purchase) is None


def test_new_accounts_have_no_p_instances():
    quota = service_quotas.vcpu_quota("p5.48xlarge", "on-demand")
    assert quota is not None
    assert quota.at_first == 0


def test_vpcs_and_addresses_have_quotas_of_different_services():
    assert service_quotas.network_quota("vpcs").service == "vpc"
    assert service_quotas.network_quota("elastic-ip-addresses").service == "ec2"
