"""Guides and figures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from tests.deploy.preflights.good import problems
from tests.mission.subject import ROOT, options, page, unknown_aws_options, unknown_options
from trainyard.api.explain import explain_id

GUIDES = {
    "AMP-AMG-SETUP": "monitoring.md",
    "DCGM-TO-CLOUDWATCH": "guides/cloudwatch.md",
    "CLOUDWATCH-MONITORING-COMPLETE": "guides/cloudwatch.md",
    "EFA-MONITORING": "metrics.md",
    "QUICKSTART-EFA-MONITORING": "guides/efa-monitoring.md",
    "NVLINK-MONITORING": "guides/nvlink-monitoring.md",
    "PROMETHEUS-METRICS": "guides/prometheus-metrics.md",
    "CLUSTER-RECREATION-GUIDE": "guides/recreation.md",
    "TIMEOUT-CONFIGURATION": "guides/timeouts.md",
    "NCCL-INSTALLATION-TIMING": "guides/timeouts.md",
    "NCCL-PERFORMANCE-TESTING": "benchmarks.md",
    "INSTANCE-TYPE-CONFIGURATION": "guides/instance-types.md",
    "OPTIONAL-COMPONENTS-UPDATE": "bootstrap.md",
}


def test_doc_1_every_guide_has_its_page_whose_commands_exist_and_the_index_leads_there():
    index = page("guides/README.md")
    for guide, name in GUIDES.items():
        assert unknown_options(page(name)) == [], guide
        assert unknown_aws_options(page(name)) == [], guide
        assert f"({name.removeprefix('guides/')})" in index or f"(../{name})" in index, name
    assert unknown_options("```bash\ntrainyard stats llm\ntrainyard status llm --drifts\n```\n") == [
        "stats llm",
        "status llm --drifts: --drifts",
    ]


DRAWN = {
    "README.md": {
        "Head node",
        "Login nodes",
        "2 × p5en.48xlarge",
        "EFA on 16 cards, 3,200 Gbit/s",
        "metrics",
        "alerts",
    },
    "monitoring.md": {
        "instance with Prometheus and Grafana",
        "Prometheus collects metrics of all nodes",
        "SNS topic",
        "alerts of the monitoring",
    },
    "batch.md": {"AWS Batch", "job queues", "0–8 × p5.48xlarge", "ECR", "/fsx"},
    "eks.md": {"System nodes", "0–10 × p5.48xlarge", "logs of the control plane", "kept 14 days"},
    "guides/access.md": {
        "Session Manager",
        "a shell on any node, no",
        "from outside no port is open: access.allow_from is empty",
    },
}


@pytest.mark.parametrize("name", DRAWN)
def test_doc_2_the_pictures_of_a_page_hold_what_it_is_about(name: str):
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+cluster-[a-z-]+\.svg)\)", page(name))
    folder = ROOT if name == "README.md" else (ROOT / "docs" / name).parent
    drawn = {
        "".join(element.itertext())
        for picture in pictures
        for element in ET.parse(folder / picture).iter("{http://www.w3.org/2000/svg}text")
    }
    assert DRAWN[name] <= drawn
    # The head node sends: nothing on the monitoring instance collects from it.
    assert "scrapes" not in drawn


@pytest.mark.enable_socket
def test_doc_3_the_sections_that_were_empty_say_what_the_program_does():
    identity_center, configured = (
        page("monitoring.md").split(heading)[1].split("\n## ")[0]
        for heading in ("## IAM Identity Center", "## Configure the observability stack")
    )
    (problem,) = problems("identity-center-missing", answers={"sso-admin.ListInstances": {"Instances": []}})
    assert problem.message
    assert "`identity-center-missing`" in identity_center
    assert "`dashboard-edited`" in configured
    assert explain_id("dashboard-edited").title
    assert unknown_aws_options(identity_center + configured) == []
    assert "--overwrite-dashboards" in options("deploy")
    assert "stand-in-left" in page("migration.md")
