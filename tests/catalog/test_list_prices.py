"""The tool that makes the files of list prices: which list holds, and what it leaves alone."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from trainyard.catalog import prices

TOOLS = Path(__file__).parents[2] / "tools"
GO = """\
var InitialOnDemandPricesAWS = map[string]map[ec2types.InstanceType]float64{
	// us-east-1
	"us-east-1": {
		// m5 family
		"m5.large": 0.100000, "m5.metal": 4.608000,
	},
}
"""
CSV = """\
InstanceType,AcceleratorName,Price,SpotPrice,Region,AvailabilityZone
m5.large,,0.2,0.1,us-east-1,use1-az1
p5.48xlarge,H100,60.0,,eu-central-1,euc1-az1
p5.48xlarge,H100,60.0,,eu-central-1,euc1-az2
p5e.48xlarge,H200,,,eu-central-1,euc1-az2
"""
# By metric and location, as one keeper turns it around.
EC2 = {
    "OnDemand Linux-instancetype-m5.large": {"US East (N. Virginia)": "0.1", "EU (Frankfurt)": "0.115"},
    "OnDemand Linux-instancetype-m5.metal": {"US East (N. Virginia)": "4.0", "EU (Frankfurt)": "5.0"},
    "OnDemand Linux-instancetype-m5.xlarge": {"EU (Frankfurt)": "0.23", "US West (Denver)": "0.3"},
    "OnDemand Linux-instancetype-x99.large": {"EU (Frankfurt)": "9.0"},
}
# By location and metric, as AWS's page loads it.
EBS = {
    "manifest": {"serviceId": "ec2"},
    "regions": {
        "AWS GovCloud (US)": {"Storage General Purpose gp3 GB Mo": {"rateCode": "A", "price": "0.0960000000"}},
        "EU (Paris)": {"Provisioned Throughput gp3 per GiBps mo": {"rateCode": "B", "price": "47.5136000000"}},
    },
}


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return import_module("list_prices")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "zz_generated.pricing_aws.go").write_text(GO)
    (tmp_path / "vms.csv").write_text(CSV)
    (tmp_path / "ec2.json").write_text(json.dumps(EC2))
    (tmp_path / "ebs.json").write_text(json.dumps(EBS))
    return tmp_path


def test_the_first_list_holds_and_a_type_whose_price_has_changed_is_of_no_older_one(tool, folder):
    content = tool.instance_prices(folder, {})
    assert {region: facts for region, facts in content.items() if region not in ("why", "sources")} == {
        "eu-central-1": {
            "skypilot-catalog": {"p5.48xlarge": 60.0},
            "aws-price-page-2025-06": {"m5.large": 0.115, "m5.xlarge": 0.23},
        },
        "us-east-1": {"karpenter-2026-07": {"m5.large": 0.1, "m5.metal": 4.608}},
    }
    assert set(content["sources"]) == {"karpenter-2026-07", "skypilot-catalog", "aws-price-page-2025-06"}


def test_units_of_a_page_become_ours(tool, folder):
    content = tool.service_prices(folder, {})
    assert content["us-gov-west-1"] == {"aws-ebs-page-2024-07": {"ebs_gp3_gib_month": 0.096}}
    assert content["eu-west-3"] == {"aws-ebs-page-2024-07": {"ebs_gp3_mb_s_month": 0.0464}}
    assert set(content["sources"]) == {"aws-ebs-page-2024-07"}


def test_a_list_that_is_not_there_keeps_what_the_catalog_has_from_it(tool, folder):
    before = tool.instance_prices(folder, {})
    (folder / "ec2.json").unlink()
    (folder / "vms.csv").write_text(CSV.replace("60.0", "61.0"))
    after = tool.instance_prices(folder, before)
    assert after["eu-central-1"]["skypilot-catalog"] == {"p5.48xlarge": 61.0}
    assert after["eu-central-1"]["aws-price-page-2025-06"] == before["eu-central-1"]["aws-price-page-2025-06"]


def test_the_files_are_as_the_tool_writes_them(tool, tmp_path):
    for path, content in ((prices.INSTANCES, tool.instance_prices), (prices.SERVICES, tool.service_prices)):
        text = path.read_text()
        assert tool.text_of(content(tmp_path, json.loads(text))) == text
