"""Tools and what is there beforehand."""

from __future__ import annotations

from pathlib import Path
from string import Template

import pytest

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import SPEC as ON_EKS
from tests.mission.subject import SELF_HOSTING, cluster, files, findings, options, page, unknown_aws_options
from tests.rehearsal.account_copies import empty_account
from trainyard.catalog.parallelcluster import limits
from trainyard.deploy.programs import DeploymentPrograms
from trainyard.edge.aws.key_pairs import create_key_pair, key_pair_exists


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


def test_pre_3_every_command_of_the_aws_cli_that_the_guide_and_a_readme_ask_for_is_one_of_aws():
    guide = page("guides/getting-ready.md")
    assert "awscli-exe-linux-x86_64.zip" in guide
    assert unknown_aws_options(guide) == []
    for architecture in ("p5-observability", "batch-p4d", "eks-g4dn"):
        readme = files(architecture)["README.md"]
        assert "getting-started-install.html" in readme
        assert unknown_aws_options(readme) == []
    assert unknown_aws_options("aws ec2 describe-key-pears\naws ec2 describe-vpcs --vpc-ids a --vpc b") == [
        "ec2 describe-key-pears",
        "ec2 describe-vpcs --vpc",
    ]


@pytest.mark.parametrize("architecture", ["p5en-monitoring", "batch-p4d", "eks-g4dn"])
def test_pre_4_nothing_is_left_that_envsubst_would_fill_in(architecture: str):
    for name, text in files(architecture).items():
        assert "envsubst" not in text
        # CloudFormation fills in ${…} of its own templates by itself.
        if name in ("cluster.yaml", "stand-ins.yaml") or name.endswith(".parameters.json"):
            assert Template(text).get_identifiers() == [], name
    assert Template("KeyName: ${KEY_PAIR_NAME}").get_identifiers() == ["KEY_PAIR_NAME"]


@pytest.mark.enable_socket
def test_pre_5_a_key_pair_is_made_by_deploy_or_by_hand(tmp_path: Path):
    assert "--create-key-pair" in options("deploy")
    file = tmp_path / "my-key-pair.pem"
    with empty_account() as account:
        create_key_pair(account, "my-key-pair", file, {})
        assert key_pair_exists(account, "my-key-pair")
    assert "PRIVATE KEY" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    guide = page("guides/getting-ready.md")
    assert "--query KeyMaterial --output text > my-key-pair.pem" in guide
    assert "chmod 600" in guide


@pytest.mark.parametrize("program", ["eksctl", "kubectl"])
def test_pre_6_eksctl_and_kubectl_are_asked_for_before_anything_is_made(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    (problem,) = problems(f"{program}-not-usable", ON_EKS, programs=DeploymentPrograms())
    assert problem.message == f"there is no program {program} here"
    assert "https://" in str(problem.remedy)
    assert program in files("eks-p4de-odcr")["README.md"]


def test_pre_7_identity_center_is_explained_and_looked_for():
    assert "## IAM Identity Center" in page("monitoring.md")
    (problem,) = problems("identity-center-missing", answers={"sso-admin.ListInstances": {"Instances": []}})
    assert "has no IAM Identity Center" in problem.message


def test_pre_8_the_address_for_allow_from_can_be_found():
    assert "curl https://checkip.amazonaws.com" in page("guides/getting-ready.md")
    assert "ssh-open-to-world" in findings("p5en-monitoring", "access.allow_from=[0.0.0.0/0]")
    assert "ssh-open-to-world" not in findings("p5en-monitoring", *SELF_HOSTING)
    head_node = cluster("distributed-training-gpu", "access.allow_from=[203.0.113.7/32]")["HeadNode"]
    assert head_node["Ssh"]["AllowedIps"] == "203.0.113.7/32"
