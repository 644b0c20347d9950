"""Access and security."""

from __future__ import annotations

from tests.mission.subject import cluster, document, findings, options, page, queue, resources

EN = "p5en-monitoring"


def test_acc_1_shells_ssh_and_tunnels_are_opened():
    assert {"--node", "--user", "--forward", "--ssh", "--dry-run", "--print-ssh-config"} <= options("connect")
    assert "sudo su - ubuntu" in page("guides/access.md")


def test_sec_1_the_checklist_has_a_rule_behind_each_line():
    guide = page("guides/security.md")
    for finding in ("ssh-open-to-world", "grafana-open-to-world", "unencrypted-volume"):
        assert finding in guide
    assert findings(EN, "access.allow_from=[0.0.0.0/0]")["ssh-open-to-world"]


def test_sec_2_nodes_have_the_policies_that_they_need_and_no_more():
    head = {entry["Policy"].rpartition("/")[2] for entry in cluster(EN)["HeadNode"]["Iam"]["AdditionalIamPolicies"]}
    nodes = {entry["Policy"].rpartition("/")[2] for entry in queue(EN)["Iam"]["AdditionalIamPolicies"]}
    assert "AmazonSSMManagedInstanceCore" in head & nodes
    assert any(name.startswith("amp-remote-write") for name in head - nodes)
    assert not {"AdministratorAccess", "AmazonS3FullAccess", "AWSPriceListServiceFullAccess"} & (head | nodes)
    assert resources(document(EN, "assets.yaml"), "AWS::IAM::ManagedPolicy")
