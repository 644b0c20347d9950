"""Guides and figures."""

from __future__ import annotations

import re

from tests.mission.subject import ROOT, page

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


def test_doc_1_every_guide_has_its_page_and_the_index_leads_there():
    index = page("guides/README.md")
    for guide, name in GUIDES.items():
        assert page(name).strip(), guide
        assert f"({name.removeprefix('guides/')})" in index or f"(../{name})" in index, name
    assert (ROOT / "CHANGELOG.md").is_file()


def test_doc_2_pages_show_pictures_of_what_they_are_about():
    for name in ("README.md", "monitoring.md", "batch.md", "eks.md", "guides/access.md"):
        for picture in re.findall(r"!\[[^\]]+\]\(([^)]+cluster-[a-z-]+\.svg)\)", page(name)):
            folder = ROOT if name == "README.md" else (ROOT / "docs" / name).parent
            assert "<svg" in (folder / picture).read_text(encoding="utf-8")
        assert "cluster-" in "".join(re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page(name))), name


def test_doc_3_the_empty_sections_are_filled():
    monitoring = page("monitoring.md")
    for heading in ("## IAM Identity Center", "## Configure the observability stack"):
        assert len(monitoring.split(heading)[1].split("\n## ")[0].splitlines()) > 5
    assert "stand-in-left" in page("migration.md")
