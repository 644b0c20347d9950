"""Tools and what is there beforehand."""

from __future__ import annotations

from tests.mission.subject import SELF_HOSTING, files, findings, options, page
from trainyard.catalog.parallelcluster import limits
from trainyard.deploy.preflights import all_preflights


def test_pre_1_parallelcluster_has_an_environment_of_its_own():
    readme = files("p5-observability")["README.md"]
    assert "python3 -m venv ~/pcluster-3.16.1" in readme
    assert "pip install aws-parallelcluster==3.16.1" in readme


def test_pre_2_versions_are_pinned_and_an_unknown_one_is_said():
    for version in ("3.14.2", "3.15.1", "3.16.1"):
        assert "parallelcluster-version-unknown" not in findings(
            "p5-observability", f"parallelcluster.version={version}"
        )
        assert limits(version) is not None
    assert findings("p5-observability", "parallelcluster.version=3.7.1")["parallelcluster-version-unknown"] == "warning"


def test_pre_3_where_the_aws_cli_comes_from_stands_in_the_guide_and_in_every_readme():
    guide = page("guides/getting-ready.md")
    assert "awscli-exe-linux-x86_64.zip" in guide
    assert "aws configure" in guide
    for architecture in ("p5-observability", "batch-p4d", "eks-g4dn"):
        assert "getting-started-install.html" in files(architecture)["README.md"]


def test_pre_4_nothing_is_filled_in_by_envsubst():
    bundle = files("p5en-monitoring")
    assert not [name for name, text in bundle.items() if "envsubst" in text]
    assert "envsubst" in page("migration.md")


def test_pre_5_a_key_pair_is_made_by_deploy_or_by_hand():
    assert "--create-key-pair" in options("deploy")
    guide = page("guides/getting-ready.md")
    assert "--query KeyMaterial --output text > my-key-pair.pem" in guide
    assert "chmod 600" in guide


def test_pre_6_eksctl_and_kubectl_are_asked_for_before_anything_is_made():
    ids = {preflight.id for preflight in all_preflights()}
    assert {"eksctl-not-usable", "kubectl-not-usable"} <= ids
    assert "eksctl" in files("eks-p4de-odcr")["README.md"]


def test_pre_7_identity_center_is_explained_and_looked_for():
    assert "## IAM Identity Center" in page("monitoring.md")
    assert "identity-center-missing" in {preflight.id for preflight in all_preflights()}


def test_pre_8_the_address_for_allow_from_can_be_found():
    assert "curl https://checkip.amazonaws.com" in page("guides/getting-ready.md")
    assert "ssh-open-to-world" in findings("p5en-monitoring", "access.allow_from=[0.0.0.0/0]")
    assert "ssh-open-to-world" not in findings("p5en-monitoring", *SELF_HOSTING)
